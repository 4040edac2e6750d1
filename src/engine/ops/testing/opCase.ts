// A small test case for a differentiable operation: how to run it as shipped, in its composed form, and in float64.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, normals } from './numbers.ts';

export interface OpCase {
  title: string;
  /** Shapes of the differentiable inputs. */
  shapes: number[][];
  shipped: (inputs: tf.Tensor[]) => tf.Tensor;
  composed: (inputs: tf.Tensor[]) => tf.Tensor;
  reference: (inputs: Numbers[]) => Numbers;
}

/** On the current backend, the output, and the gradients of Σ weights·f with weights from `normals(size, 5)`. */
export async function evaluate(
  run: (inputs: tf.Tensor[]) => tf.Tensor,
  shapes: number[][],
  values: Numbers[],
): Promise<{ output: Float32Array; gradients: Float32Array[] }> {
  const tensors = tf.tidy(() => {
    const inputs = values.map((array, i) => tf.tensor(Float32Array.from(array), shapes[i]));
    const output = run(inputs);
    const weights = tf.tensor(Float32Array.from(normals(output.size, 5)), output.shape);
    return [output, ...tf.grads((...args: tf.Tensor[]) => tf.sum(tf.mul(run(args), weights)))(inputs)];
  });
  const [output, ...gradients] = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  tf.dispose(tensors);
  return { output: output as Float32Array, gradients };
}
