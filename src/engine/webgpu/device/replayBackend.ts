// The part of the recording backend's interface that other modules of this folder use, so that they do not depend on
// the whole backend.
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
  /**
   * Creates tensors that are views of one buffer and that tf.tidy does not dispose. If all arrays contain values, these
   * are uploaded together.
   */
  flat(arrays: readonly (ArrayLayout & { values?: Float32Array | Int32Array })[]): tf.Tensor[];
  /** The part of a shared buffer that contains a tensor; undefined if the tensor has its own buffer. */
  viewOf(info: tf.TensorInfo): View | undefined;
  /**
   * Overwrites the first `size` bytes of a buffer. Commands that were encoded before see the old content, and commands
   * that are encoded later see the new content.
   */
  refill(target: GPUBuffer, size: number, fill: (bytes: Uint8Array) => void): void;
  /** Submits all waiting commands. */
  flush(): void;
  /** Must be called before a tensor is written in place, because values that were read from it become invalid. */
  noteWrite(dataId: object): void;
}
