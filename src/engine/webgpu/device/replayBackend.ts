// The interface of the recording backend that its parts use, so that they do not depend on the whole.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import type * as tf from '@tensorflow/tfjs-core';
import type { BufferPool } from './bufferPool.ts';
import type { ReplayTimer } from './replayTimer.ts';
import type { ArrayLayout, View } from './views.ts';

export interface ReplayBackend extends WebGPUBackend {
  readonly isLost: boolean;
  readonly isRecording: boolean;
  readonly pool: BufferPool;
  readonly timer: ReplayTimer | null;
  /** Kept tensors that are views of one buffer; if arrays contain values they are uploaded at once. */
  flat(arrays: readonly (ArrayLayout & { values?: Float32Array | Int32Array })[]): tf.Tensor[];
  /** The place of a tensor in a buffer that it shares with others; undefined if it has its own buffer. */
  viewOf(info: tf.TensorInfo): View | undefined;
  /** Overwrites the first `size` bytes of a buffer, in order with the surrounding commands. */
  refill(target: GPUBuffer, size: number, fill: (bytes: Uint8Array) => void): void;
  /** Submits whatever is waiting. */
  flush(): void;
  /** A tensor is about to be written in place: values read from it before are stale. */
  noteWrite(dataId: object): void;
}
