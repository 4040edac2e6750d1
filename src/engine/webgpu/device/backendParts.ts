// Some fields and methods of TensorFlow.js's WebGPU backend are private in its type, but are needed to record a step,
// to make tensors that are views of one buffer, and to write in place. All code that uses them refers to the list in
// this file. The list is for version 4.22, which package.json requires exactly, and must be checked first when
// TensorFlow.js is updated.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import type * as tf from '@tensorflow/tfjs-core';

/** The record that the backend keeps for one tensor. */
export interface TensorRecord {
  dtype: tf.DataType;
  shape: number[];
  /** Numbers on the CPU: either not uploaded yet, or a copy of numbers that were read from the device. */
  values: tf.backend_util.BackendValues | null;
  refCount: number;
  resource?: GPUBuffer | null;
  /** Whether other code owns the buffer and will free it. */
  external?: boolean;
  /** The number of writes in place, by which the result of an older read is recognised as outdated. */
  version?: number;
}

export interface Uniform {
  type: string;
  data: number[];
}

export interface BackendParts {
  commandEncoder: GPUCommandEncoder | null;
  computePassEncoder: GPUComputePassEncoder | null;
  /** Tensors that are used by commands that have not been submitted yet. */
  commandQueueOwnedIds: WeakSet<object>;
  dispatchCountInPass: number;
  uniformPendingDisposal: GPUBuffer[];
  tensorToBinding: (tensor: tf.TensorInfo) => GPUBufferBinding;
  makeUniforms: (fields: Uniform[]) => GPUBufferBinding;
  releaseResource: (dataId: object) => void;
}

export function partsOf(backend: WebGPUBackend): BackendParts {
  return backend as unknown as BackendParts;
}

/** The record of a tensor; undefined if it no longer exists. */
export function recordOf({ tensorMap }: WebGPUBackend, dataId: object): TensorRecord | undefined {
  return tensorMap.has(dataId) ? (tensorMap.get(dataId) as TensorRecord) : undefined;
}

/** Removes the copy of a tensor's numbers on the CPU, because they were read before the tensor was written in place. */
export function forget(record: TensorRecord): void {
  record.values = null;
  record.version = (record.version ?? 0) + 1;
}
