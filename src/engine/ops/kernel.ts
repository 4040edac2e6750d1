// The interface between an op and its backend. An op checks whether the current backend has registered a fused kernel
// under the op's name; if not, the op uses its composed form.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';

type Accepts = (inputs: readonly tf.Tensor[]) => boolean;

const limits = new Map<string, Accepts>();

/** Declares which inputs a backend's kernel supports; for all others the op uses its composed form. */
export function limitKernel(name: string, backend: string, accepts: Accepts): void {
  limits.set(`${backend}/${name}`, accepts);
}

/** True if the current backend has its own kernel of this name and the kernel supports these inputs. */
export function hasKernel(name: string, ...inputs: tf.Tensor[]): boolean {
  const backend = tf.getBackend();
  if (tf.getKernel(name, backend) === undefined) return false;
  return limits.get(`${backend}/${name}`)?.(inputs) ?? true;
}

/** Runs a registered kernel with one output. It is recorded on the tape, so a registered gradient applies. */
export function runKernel<T extends tf.Tensor>(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): T {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as T;
}

/** Runs a registered kernel with several outputs. */
export function runKernels(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): tf.Tensor[] {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as tf.Tensor[];
}

interface KernelGradient {
  /** Inputs that are passed to the gradient's kernel, by their names. */
  saves: string[];
  /**
   * Names under which the outputs are passed to the gradient's kernel, in their order; an output named null is not
   * passed.
   */
  outputs?: (string | null)[];
  /** Inputs for which the gradient's kernel returns a gradient, in the order of its outputs. */
  of: string[];
}

/**
 * Registers the kernel `${name}Grad` as the gradient of a kernel. It receives the saved tensors, and the gradient of
 * the first output under the name `dy`.
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
 * Throws ShapeError unless a tensor has exactly the expected sizes and type. The type is checked too, because a fused
 * kernel reads raw memory, and the bits of the integer 1, read as a float, are a number close to 0.
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
 * A composed op with a hand-written gradient. `forward` receives the differentiable inputs and `save`, which keeps
 * whatever the gradient needs; `gradients` returns one tensor for each differentiable input, in order.
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
