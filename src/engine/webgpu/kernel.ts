// How a kernel of this backend is declared, and which recorder and variant its calls use.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { type ElementType, Recorder, type Slot, type Variant } from './recorder.ts';

export interface KernelCall {
  inputs: Record<string, tf.TensorInfo>;
  attrs: Record<string, unknown>;
  recorder: Recorder;
}

const recorders = new WeakMap<object, Recorder>();

/** The recorder of a backend, made on first use with the variant its adapter runs best. */
export function recorderOf(backend: WebGPUBackend): Recorder {
  const recorder = recorders.get(backend) ?? new Recorder(backend, chooseVariant(backend.device));
  recorders.set(backend, recorder);
  return recorder;
}

/** Makes all later calls on a backend use one variant: tests and measurements compare the two. */
export function forceVariant(backend: WebGPUBackend, variant: Variant): void {
  recorders.set(backend, new Recorder(backend, variant));
}

/**
 * The variant for a device: barriers cost little on a graphics processor, where a row has more work than one thread
 * should do, and make a software adapter, which runs the threads of a workgroup one after another, wait at each.
 */
export function chooseVariant(device: GPUDevice): Variant {
  const info = (device as { adapterInfo?: GPUAdapterInfo }).adapterInfo;
  if (!info) return 'team';
  const words = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`.toLowerCase();
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|software/.test(words) ? 'solo' : 'team';
}

/** Declares a kernel of the backend `webgpu`. */
export function declare(
  kernelName: string,
  run: (call: KernelCall) => tf.TensorInfo | tf.TensorInfo[],
): tf.KernelConfig {
  const kernelFunc: tf.KernelFunc = ({ inputs, attrs, backend }) =>
    run({
      inputs: inputs as Record<string, tf.TensorInfo>,
      attrs: (attrs ?? {}) as Record<string, unknown>,
      recorder: recorderOf(backend as WebGPUBackend),
    });
  return { kernelName, backendName: 'webgpu', kernelFunc };
}

/** A named input that is known to be there. */
export function input({ inputs }: KernelCall, name: string): tf.TensorInfo {
  return inputs[name] as tf.TensorInfo;
}

/** Number of elements of a tensor record. */
export function sizeOf({ shape }: tf.TensorInfo): number {
  return tf.util.sizeFromShape(shape);
}

/** Binds a tensor as an array of this type. */
export function as(type: ElementType, info: tf.TensorInfo): Slot {
  return { type, info };
}

/** Named inputs as arrays of one type. */
export function reads(call: KernelCall, type: ElementType, ...names: string[]): Record<string, Slot> {
  return Object.fromEntries(names.map((name) => [name, as(type, input(call, name))]));
}
