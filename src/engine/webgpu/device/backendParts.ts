// Recording a step, views of one buffer, and in-place writes need fields and methods of TensorFlow.js's WebGPU backend
// that its type declares private. All code that depends on their names uses this one list. It is for version 4.22,
// which package.json requires exactly, and must be checked first when TensorFlow.js is updated.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import type * as tf from '@tensorflow/tfjs-core';

/** The record that the backend keeps for one tensor. */
export interface TensorRecord {
  dtype: tf.DataType;
  shape: number[];
  /** Numbers that are not uploaded yet, or that were read back and cached. */
  values: tf.backend_util.BackendValues | null;
  refCount: number;
  resource?: GPUBuffer | null;
  /** Whether the resource has another owner, which frees it. */
  external?: boolean;
  /** Counts the writes in place, so that the result of a pending read is not taken for the current values. */
  version?: number;
}

export interface Uniform {
  type: string;
  data: number[];
}

export interface BackendParts {
  commandEncoder: GPUCommandEncoder | null;
  computePassEncoder: GPUComputePassEncoder | null;
  /** Tensors used by commands that have not been submitted yet. */
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

/** Drops the cached values of a tensor, which were read before it was written in place. */
export function forget(record: TensorRecord): void {
  record.values = null;
  record.version = (record.version ?? 0) + 1;
}
