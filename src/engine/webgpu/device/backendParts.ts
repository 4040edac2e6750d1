// The price of using TensorFlow.js: recording a step, views of one buffer and in-place writes need fields and methods
// of its WebGPU backend that its type declares private. Everything that depends on their names is written against this
// one list (version 4.22, exact in package.json); a new version of TensorFlow.js is checked here first.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import type * as tf from '@tensorflow/tfjs-core';

/** The backend's record of one tensor. */
export interface TensorRecord {
  dtype: tf.DataType;
  shape: number[];
  /** Numbers not uploaded yet, or read back and cached. */
  values: tf.backend_util.BackendValues | null;
  refCount: number;
  resource?: GPUBuffer | null;
  /** The resource has another owner, which frees it. */
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
  /** Tensors that commands not yet submitted use. */
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

/** Drops the cached values read from a tensor before it was written in place. */
export function forget(record: TensorRecord): void {
  record.values = null;
  record.version = (record.version ?? 0) + 1;
}
