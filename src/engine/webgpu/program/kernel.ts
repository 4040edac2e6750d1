// Declares the kernels of this backend and the requirements of each kernel for a device. This file also determines
// which recorder and which variant a call uses.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { isSoftwareAdapter } from '../adapters.ts';
import type { ElementType, Slot, Variant } from './program.ts';
import { Recorder } from './recorder.ts';

export interface ProgramCall {
  inputs: Record<string, tf.TensorInfo>;
  attrs: Record<string, unknown>;
  recorder: Recorder;
}

const recorders = new WeakMap<object, Recorder>();

/**
 * The recorder of a backend, with the variant that was set by `forceVariant` or, if none was set, with the variant that
 * suits the adapter.
 */
export function recorderOf(backend: WebGPUBackend): Recorder {
  const recorder = recorders.get(backend) ?? new Recorder(backend, chooseVariant(backend.device));
  recorders.set(backend, recorder);
  return recorder;
}

/**
 * Makes all later calls on a backend use one variant. If this variant is already in use, the compiled programs are
 * kept.
 */
export function forceVariant(backend: WebGPUBackend, variant: Variant): void {
  if (recorders.get(backend)?.variant !== variant) recorders.set(backend, new Recorder(backend, variant));
}

/**
 * The variant that suits a device, judged by the kind of its adapter. On a graphics processor, barriers take little
 * time, and a row is too much work for one thread. A software adapter runs the threads of a workgroup one after
 * another, and waits at each barrier. `probeVariant` measures whether the chosen variant is really the faster one.
 */
export function chooseVariant(device: GPUDevice): Variant {
  const info = (device as { adapterInfo?: GPUAdapterInfo }).adapterInfo;
  return info && isSoftwareAdapter(info) ? 'solo' : 'team';
}

/**
 * The limits that a device must have for the largest dispatch of a kernel and its gradient, and the inputs that both of
 * them support.
 */
export interface Needs {
  /** The number of storage buffers that the dispatch binds. */
  buffers: number;
  /** The bytes of workgroup memory. */
  sharedBytes?: number;
  /**
   * Whether the kernel supports the inputs that the operation passes to `hasKernel`. Without inputs, only the device is
   * checked.
   */
  accepts?: (operands: readonly tf.Tensor[]) => boolean;
}

/** Whether a device has the limits that a dispatch needs. */
export function fitsDevice({ device }: Pick<WebGPUBackend, 'device'>, { buffers, sharedBytes = 0 }: Needs): boolean {
  const { maxStorageBuffersPerShaderStage, maxComputeWorkgroupStorageSize } = device.limits;
  return buffers <= maxStorageBuffersPerShaderStage && sharedBytes <= maxComputeWorkgroupStorageSize;
}

export interface WebGpuKernel extends tf.KernelConfig {
  /**
   * Null if `run` adapts its work to the device by itself, or if this kernel computes the gradient of another kernel,
   * whose needs include those of the gradient.
   */
  needs: Needs | null;
}

/**
 * Declares a kernel of the backend `webgpu`. If the device or the inputs do not satisfy the needs of the kernel, the
 * operation uses its composed form.
 */
export function declare(
  kernelName: string,
  needs: Needs | null,
  run: (call: ProgramCall) => tf.TensorInfo | tf.TensorInfo[],
): WebGpuKernel {
  const kernelFunc: tf.KernelFunc = ({ inputs, attrs, backend }) =>
    run({
      inputs: inputs as Record<string, tf.TensorInfo>,
      attrs: (attrs ?? {}) as Record<string, unknown>,
      recorder: recorderOf(backend as WebGPUBackend),
    });
  return { kernelName, backendName: 'webgpu', kernelFunc, needs };
}

/** The input with this name, which must exist. */
export function input({ inputs }: ProgramCall, name: string): tf.TensorInfo {
  return inputs[name] as tf.TensorInfo;
}

/**
 * The output of a kernel that has written into one of its inputs: the same tensor with one more reference to its
 * buffer.
 */
export function inPlace({ recorder, inputs }: ProgramCall, name: string): tf.TensorInfo {
  const { dataId, shape, dtype } = inputs[name] as tf.TensorInfo;
  recorder.backend.incRef(dataId);
  return { dataId, shape, dtype };
}

/** Number of elements of a tensor record. */
export function sizeOf({ shape }: tf.TensorInfo): number {
  return tf.util.sizeFromShape(shape);
}

/** Binds a tensor as an array with elements of this type. */
export function as(type: ElementType, info: tf.TensorInfo): Slot {
  return { type, info };
}

/** Binds the inputs with these names as arrays with elements of one type. */
export function reads(call: ProgramCall, type: ElementType, ...names: string[]): Record<string, Slot> {
  return Object.fromEntries(names.map((name) => [name, as(type, input(call, name))]));
}

/**
 * Determines how rows of this length are read: in groups of four numbers if the length is a multiple of four, otherwise
 * number by number.
 */
export function valuesOf(columns: number): { type: 'vec4<f32>' | 'f32'; width: number } {
  return columns % 4 === 0 ? { type: 'vec4<f32>', width: columns / 4 } : { type: 'f32', width: columns };
}

/** WGSL that defines the type V of values, and a function that sums the products of two such values. */
export function valueText(type: 'vec4<f32>' | 'f32'): string {
  return `
alias V = ${type};
fn inner(a: V, b: V) -> f32 { return ${type === 'f32' ? 'a * b' : 'dot(a, b)'}; }`;
}
