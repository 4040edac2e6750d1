// How a kernel of this backend is declared: the name it answers to and a function over tensor records.
import * as tf from '@tensorflow/tfjs-core';
import type { SimdBackend } from './simdBackend.ts';

export interface KernelCall {
  inputs: Record<string, tf.TensorInfo>;
  attrs: Record<string, unknown>;
  backend: SimdBackend;
}

/** A kernel without its backend's name, which registration adds. */
export interface KernelDeclaration {
  kernelName: string;
  backendName: string;
  kernelFunc: tf.KernelFunc;
}

/** Declares a kernel of our own. */
export function declare(
  kernelName: string,
  run: (call: KernelCall) => tf.TensorInfo | tf.TensorInfo[],
): KernelDeclaration {
  const kernelFunc: tf.KernelFunc = ({ inputs, attrs, backend: of }) => {
    const backend = of as SimdBackend;
    const call = {
      inputs: inputs as Record<string, tf.TensorInfo>,
      attrs: (attrs ?? {}) as Record<string, unknown>,
      backend,
    };
    return backend.runKernel(() => run(call));
  };
  return { kernelName, backendName: '', kernelFunc };
}

/** Replaces a stock kernel where `run` returns a result; where it returns undefined the stock kernel runs. */
export function override(kernelName: string, run: (call: KernelCall) => tf.TensorInfo | undefined): KernelDeclaration {
  const stock = tf.getKernel(kernelName, 'cpu');
  return declare(
    kernelName,
    (call) => run(call) ?? stock.kernelFunc({ ...call, attrs: call.attrs as unknown as tf.NamedAttrMap }),
  );
}

/** A named input that is known to be there. */
export function input({ inputs }: KernelCall, name: string): tf.TensorInfo {
  return inputs[name] as tf.TensorInfo;
}

/** Number of elements of a tensor record. */
export function sizeOf({ shape }: tf.TensorInfo): number {
  return tf.util.sizeFromShape(shape);
}

/** The addresses of named inputs, in order. */
export function addressesOf<const Names extends readonly string[]>(
  call: KernelCall,
  ...names: Names
): { [Key in keyof Names]: number } {
  return names.map((name) => call.backend.address(input(call, name))) as { [Key in keyof Names]: number };
}

/** The next multiple of eight. */
export function roundUp8(count: number): number {
  return (count + 7) & ~7;
}
