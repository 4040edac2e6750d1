// Defines how a kernel of this backend is declared, what it needs from a device, and which recorder and variant its
// calls use.
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
 * The recorder of a backend, with the measured variant (`forceVariant`) if there is one, otherwise the variant that
 * suits its adapter.
 */
export function recorderOf(backend: WebGPUBackend): Recorder {
  const recorder = recorders.get(backend) ?? new Recorder(backend, chooseVariant(backend.device));
  recorders.set(backend, recorder);
  return recorder;
}

/**
 * Makes all later calls on a backend use one variant. If that variant is already in use, its compiled programs are
 * kept.
 */
export function forceVariant(backend: WebGPUBackend, variant: Variant): void {
  if (recorders.get(backend)?.variant !== variant) recorders.set(backend, new Recorder(backend, variant));
}

/**
 * The variant that suits a device, by the kind of its adapter. On a graphics processor barriers cost little, and a row
 * is more work than one thread should do. A software adapter runs the threads of a workgroup one after another, and
 * waits at each barrier. `probeVariant` measures whether this is the faster variant.
 */
export function chooseVariant(device: GPUDevice): Variant {
  const info = (device as { adapterInfo?: GPUAdapterInfo }).adapterInfo;
  return info && isSoftwareAdapter(info) ? 'solo' : 'team';
}

/**
 * The device limits that the most demanding dispatch of a kernel and its gradient needs, and the inputs that both of
 * them support.
 */
export interface Needs {
  /** The number of storage buffers that are bound at once. */
  buffers: number;
  /** The bytes of workgroup memory. */
  sharedBytes?: number;
  /** Checks the inputs that the op passes to `hasKernel`; without inputs only the device is checked. */
  accepts?: (operands: readonly tf.Tensor[]) => boolean;
}

/** True if a device grants the limits that a dispatch needs. */
export function fitsDevice({ device }: Pick<WebGPUBackend, 'device'>, { buffers, sharedBytes = 0 }: Needs): boolean {
  const { maxStorageBuffersPerShaderStage, maxComputeWorkgroupStorageSize } = device.limits;
  return buffers <= maxStorageBuffersPerShaderStage && sharedBytes <= maxComputeWorkgroupStorageSize;
}

export interface WebGpuKernel extends tf.KernelConfig {
  /**
   * Null if `run` adapts its work to the device by itself, or if the kernel is the gradient of another kernel that has
   * limits.
   */
  needs: Needs | null;
}

/**
 * Declares a kernel of the backend `webgpu`; if the device or the inputs do not satisfy its needs, the op uses its
 * composed form.
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

/** A named input, which must exist. */
export function input({ inputs }: ProgramCall, name: string): tf.TensorInfo {
  return inputs[name] as tf.TensorInfo;
}

/** The output record of a kernel that has written an input in place; it adds a reference to the buffer. */
export function inPlace({ recorder, inputs }: ProgramCall, name: string): tf.TensorInfo {
  const { dataId, shape, dtype } = inputs[name] as tf.TensorInfo;
  recorder.backend.incRef(dataId);
  return { dataId, shape, dtype };
}

/** Number of elements of a tensor record. */
export function sizeOf({ shape }: tf.TensorInfo): number {
  return tf.util.sizeFromShape(shape);
}

/** Binds a tensor as an array of this type. */
export function as(type: ElementType, info: tf.TensorInfo): Slot {
  return { type, info };
}

/** Binds the named inputs as arrays of one type. */
export function reads(call: ProgramCall, type: ElementType, ...names: string[]): Record<string, Slot> {
  return Object.fromEntries(names.map((name) => [name, as(type, input(call, name))]));
}

/** Defines how rows of this many numbers are read: in groups of four if the number is a multiple of four. */
export function valuesOf(columns: number): { type: 'vec4<f32>' | 'f32'; width: number } {
  return columns % 4 === 0 ? { type: 'vec4<f32>', width: columns / 4 } : { type: 'f32', width: columns };
}

/** WGSL of the type V of values, and of a function that sums the products of two of them. */
export function valueText(type: 'vec4<f32>' | 'f32'): string {
  return `
alias V = ${type};
fn inner(a: V, b: V) -> f32 { return ${type === 'f32' ? 'a * b' : 'dot(a, b)'}; }`;
}
