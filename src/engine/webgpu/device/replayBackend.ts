// The interface of the recording backend that its parts use, so that they do not depend on the whole backend.
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
   * Creates tensors that are views of one buffer and that no tidy disposes; if all arrays contain values, these are
   * uploaded at once.
   */
  flat(arrays: readonly (ArrayLayout & { values?: Float32Array | Int32Array })[]): tf.Tensor[];
  /** The range of a tensor in a buffer that it shares with others; undefined if it has its own buffer. */
  viewOf(info: tf.TensorInfo): View | undefined;
  /**
   * Overwrites the first `size` bytes of a buffer, after the commands encoded before and before those encoded later.
   */
  refill(target: GPUBuffer, size: number, fill: (bytes: Uint8Array) => void): void;
  /** Submits all waiting commands. */
  flush(): void;
  /** Must be called before a tensor is written in place: values that were read from it become invalid. */
  noteWrite(dataId: object): void;
}
