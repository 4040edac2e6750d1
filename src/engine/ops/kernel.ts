// The interface between operations and backends. An operation checks whether the current backend has a fused kernel
// with the name of the operation. If there is no such kernel, the operation uses its composed form, which consists of
// TensorFlow.js operations.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';

type Accepts = (inputs: readonly tf.Tensor[]) => boolean;

const limits = new Map<string, Accepts>();

/** Declares which inputs a backend's kernel supports. For all other inputs, the operation uses its composed form. */
export function limitKernel(name: string, backend: string, accepts: Accepts): void {
  limits.set(`${backend}/${name}`, accepts);
}

/** Whether the current backend has a fused kernel with this name that supports these inputs. */
export function hasKernel(name: string, ...inputs: tf.Tensor[]): boolean {
  const backend = tf.getBackend();
  if (tf.getKernel(name, backend) === undefined) return false;
  return limits.get(`${backend}/${name}`)?.(inputs) ?? true;
}

/**
 * Runs a registered kernel with one output. The call is recorded for the backward pass, so a registered gradient is
 * used.
 */
export function runKernel<T extends tf.Tensor>(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): T {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as T;
}

/** Runs a registered kernel with several outputs. */
export function runKernels(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): tf.Tensor[] {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as tf.Tensor[];
}

interface KernelGradient {
  /** The names of the inputs that are passed to the gradient's kernel. */
  saves: string[];
  /**
   * The names under which the outputs are passed to the gradient's kernel, in order; an output for which the name is
   * null is not passed.
   */
  outputs?: (string | null)[];
  /** Inputs for which the gradient's kernel returns a gradient, in the order of its outputs. */
  of: string[];
}

/**
 * Registers the kernel `${name}Grad` as the gradient of the kernel `name`. The gradient's kernel receives the saved
 * tensors, and the gradient of the first output as `dy`.
 */
export function registerKernelGradient(name: string, { saves, outputs = [], of }: KernelGradient): void {
  const names = [...saves, ...outputs.filter((output) => output !== null)];
  tf.registerGradient({
    kernelName: name,
    inputsToSave: saves,
    outputsToSave: outputs.map((output) => output !== null),
    gradFunc: (dys, saved, attrs) => {
      const known = Object.fromEntries(names.map((input, i) => [input, saved[i] as tf.Tensor]));
      const dy = (Array.isArray(dys) ? dys[0] : dys) as tf.Tensor;
      const found = [runKernels(`${name}Grad`, { ...known, dy }, attrs)].flat();
      return Object.fromEntries(of.map((input, i) => [input, () => found[i] as tf.Tensor]));
    },
  });
}

/**
 * Throws ShapeError unless a tensor has exactly the expected shape and type. The type must match because a fused kernel
 * reads raw memory; for example, the bits of the integer 1 would be read as a float close to 0.
 */
export function expectShape(
  label: string,
  tensor: tf.Tensor,
  shape: readonly number[],
  dtype: 'float32' | 'int32' = 'float32',
): void {
  const fits = tensor.rank === shape.length && shape.every((size, axis) => tensor.shape[axis] === size);
  if (!fits || tensor.dtype !== dtype)
    throw new ShapeError(
      `${label} must be ${dtype} [${shape.join(', ')}], got ${tensor.dtype} [${tensor.shape.join(', ')}]; check the caller, and cast the tensor if only its type differs.`,
    );
}

interface Tape<T> {
  value: T;
  gradients: (dy: T, saved: tf.Tensor[]) => tf.Tensor[];
}

/**
 * A composed operation with its own gradient. `forward` receives the differentiable inputs, and a function `save` for
 * tensors that the gradient needs. `gradients` returns one tensor for each differentiable input, in order.
 */
export function withGradient<T extends tf.Tensor>(
  inputs: tf.Tensor[],
  forward: (inputs: tf.Tensor[], save: (tensors: tf.Tensor[]) => void) => Tape<T>,
): T {
  const op = tf.customGrad((...args) => {
    const save = args.at(-1) as tf.GradSaveFunc;
    const { value, gradients } = forward(args.slice(0, -1) as tf.Tensor[], (tensors) => {
      save(tensors);
    });
    return { value, gradFunc: (dy: T, saved: tf.Tensor[]) => gradients(dy, saved) };
  });
  return op(...inputs) as T;
}
