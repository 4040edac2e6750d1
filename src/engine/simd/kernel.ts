// Declares the kernels of this backend. A kernel has a name and a function that receives and returns tensor records of
// TensorFlow.js.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import type { SimdBackend } from './simdBackend.ts';

export interface KernelCall {
  inputs: Record<string, tf.TensorInfo>;
  attrs: Record<string, unknown>;
  backend: SimdBackend;
}

/** Declares one of the project's own kernels. The name of the backend is added when the kernel is registered. */
export function declare(
  kernelName: string,
  run: (call: KernelCall) => tf.TensorInfo | tf.TensorInfo[],
): tf.KernelConfig {
  const kernelFunc: tf.KernelFunc = ({ inputs, attrs = {}, backend: of }) => {
    const backend = of as SimdBackend;
    const call = { inputs: inputs as KernelCall['inputs'], attrs: attrs as KernelCall['attrs'], backend };
    return backend.runKernel(() => run(call));
  };
  return { kernelName, backendName: '', kernelFunc };
}

/**
 * Replaces a kernel of the cpu backend of TensorFlow.js. If `run` returns undefined, the replaced kernel is called
 * instead.
 */
export function override(kernelName: string, run: (call: KernelCall) => tf.TensorInfo | undefined): tf.KernelConfig {
  return declare(kernelName, (call) => {
    const { kernelFunc } = tf.getKernel(kernelName, 'cpu');
    return run(call) ?? kernelFunc({ ...call, attrs: call.attrs as unknown as tf.NamedAttrMap });
  });
}

interface Work<From extends string, To extends string> {
  /** The names of the inputs that the kernel reads. */
  from: readonly From[];
  /** The shapes of the outputs, by name. */
  to: Record<To, readonly number[]>;
  /** The outputs that are int32. */
  whole?: readonly NoInfer<To>[];
  /** The number of floats of temporary memory that the kernel needs. */
  scratch?: number;
}

/**
 * Runs a compiled kernel.
 * @param use receives the addresses of inputs, outputs and scratch memory by their names
 * @returns the tensor records of the outputs, in order
 */
export function compute<From extends string, To extends string>(
  call: KernelCall,
  { from, to, whole, scratch }: Work<From, To>,
  use: (addresses: Record<From | To | 'scratch', number>) => void,
): tf.TensorInfo[] {
  const { backend } = call;
  const at: Record<string, number> = {};
  for (const name of from) at[name] = backend.address(input(call, name));
  const outputs = Object.entries<readonly number[]>(to).map(([name, shape]) => {
    const { info, address } = backend.allocate([...shape], whole?.some((one) => one === name) ? 'int32' : 'float32');
    at[name] = address;
    return info;
  });
  if (scratch === undefined) use(at);
  else backend.withScratch(scratch, (address) => use(Object.assign(at, { scratch: address })));
  return outputs;
}

/** Like `compute`, for a kernel with one output. */
export function computeOne<From extends string, To extends string>(
  ...args: Parameters<typeof compute<From, To>>
): tf.TensorInfo {
  return compute(...args)[0] as tf.TensorInfo;
}

/** The input with this name, which must exist. */
export function input({ inputs }: KernelCall, name: string): tf.TensorInfo {
  return inputs[name] as tf.TensorInfo;
}

/** The shape of a named matrix. */
export function shapeOf(call: KernelCall, name: string): [rows: number, columns: number] {
  return input(call, name).shape as [number, number];
}

/** Number of elements of a tensor record. */
export function sizeOf({ shape }: tf.TensorInfo): number {
  return tf.util.sizeFromShape(shape);
}

/** The addresses of the inputs with these names, in order. */
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

/** The output of a kernel that has written into one of its inputs. */
export function inPlace(call: KernelCall, name: string): tf.TensorInfo {
  return call.backend.rewritten(input(call, name)).info;
}

/**
 * Throws ShapeError if a kernel has refused an id. `bad` is the position of the first refused id in the input `ids`, or
 * −1 if the kernel accepted all ids.
 */
export function expectKnownIds(call: KernelCall, bad: number, vocabulary: number): void {
  if (bad < 0) return;
  const ids = call.backend.readSync(input(call, 'ids').dataId) as tf.TypedArray;
  throw new ShapeError(
    `simd: ids[${String(bad)}] must be in [0, ${String(vocabulary)}), got ${String(ids[bad])}; was the tokenizer changed after the model was made?`,
  );
}
