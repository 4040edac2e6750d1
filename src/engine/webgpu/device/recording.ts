// Observes one run on the device and decides whether it can be replayed without the program that created it. The run
// itself proceeds as usual, so nothing is lost if it cannot be replayed. A replay would be wrong if any of these
// happened in the run: an upload (every replay would use the recorded numbers), a read, a copy, freeing a tensor from
// outside, or keeping a tensor without returning it. Some uploads are allowed: zeros, tensors of equal numbers in the
// backward pass (the gradients of TensorFlow.js operations upload ones and factors), and constants that are kept.
import * as tf from '@tensorflow/tfjs-core';
import { recordOf, type TensorRecord } from './backendParts.ts';
import type { BufferPool } from './bufferPool.ts';
import type { ReplayBackend } from './replayBackend.ts';
import type { DispatchCommand, CommandReader } from './commandNotes.ts';
import { tensorUsage } from './views.ts';

/** The reason why a run cannot be replayed. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}

export class Recording implements CommandReader {
  readonly pool: BufferPool;
  readonly commands: DispatchCommand[] = [];
  /** Tensors from outside, each with its buffer. */
  readonly outside = new Map<object, GPUBuffer>();
  /** The tensors from outside into which the run writes. */
  readonly written = new Set<object>();
  /** The first reason why this run cannot be replayed; null if there is none. */
  failure: CaptureError | null = null;
  readonly #backend: ReplayBackend;
  /** Tensors that the run has created; the value is true for tensors of the backward pass. */
  readonly #made = new Map<object, boolean>();
  /** For tensors that were uploaded, the number of their elements. */
  readonly #uploaded = new Map<object, number>();
  #isUploading = false;

  constructor(backend: ReplayBackend, pool: BufferPool) {
    this.#backend = backend;
    this.pool = pool;
  }

  refuse(why: string): void {
    this.failure ??= new CaptureError(why);
  }

  onDispatch(command: DispatchCommand): void {
    this.commands.push(command);
  }

  onOther(name: string): void {
    if (!this.#isUploading) this.refuse(`it asks the device for ${name}`);
  }

  onMade(dataId: object): void {
    this.#made.set(dataId, isBackward());
  }

  hasMade(dataId: object): boolean {
    return this.#made.has(dataId);
  }

  onBound(dataId: object, buffer: GPUBuffer): void {
    if (!this.#made.has(dataId)) this.outside.set(dataId, buffer);
  }

  onWritten(dataId: object): void {
    if (!this.#made.has(dataId)) this.written.add(dataId);
    else if (this.#uploaded.has(dataId)) this.refuse('it writes in place into numbers it has uploaded');
  }

  /**
   * Uploads the numbers of a tensor to the device. If they are certain to be the same in every replay, they are written
   * to a constant buffer.
   */
  upload(dataId: object, record: TensorRecord, uploadAsUsual: () => void): void {
    const values = record.values as ArrayLike<number>;
    if (this.#made.has(dataId)) {
      const even = evenValue(values);
      if (even === 0 || (even !== null && this.#made.get(dataId))) {
        this.#uploaded.set(dataId, 0);
        record.resource = this.#constant(values.length, even, record.dtype);
        record.values = null;
        return;
      }
      this.#uploaded.set(dataId, values.length);
    }
    this.#isUploading = true;
    uploadAsUsual();
    this.#isUploading = false;
  }

  /** Ends the recording. After that, `failure` does not change any more. */
  finish(outputIds: ReadonlySet<object>): void {
    for (const dataId of this.#made.keys()) {
      const record = recordOf(this.#backend, dataId);
      const uploaded = this.#uploaded.get(dataId);
      if (!record || outputIds.has(dataId)) {
        if (uploaded) this.refuse(`it uploads ${String(uploaded)} numbers; hand them over as inputs`);
      } else if (record.resource) {
        if (uploaded === undefined)
          this.refuse(`it keeps a tensor [${record.shape.join(', ')}] that it does not return`);
        // A constant that was created during this run is also a tensor from outside.
        this.outside.set(dataId, record.resource);
      }
    }
  }

  #constant(size: number, value: number, dtype: tf.DataType): GPUBuffer {
    const buffer = this.pool.acquireZeros(size * 4, tensorUsage());
    const array = dtype === 'float32' ? new Float32Array(size) : new Int32Array(size);
    if (value !== 0) this.#backend.queue.writeBuffer(buffer, 0, array.fill(value));
    return buffer;
  }
}

/** The value that all elements have; null if the values differ or there are no elements. */
function evenValue(values: ArrayLike<number>): number | null {
  const first = values[0] ?? null;
  for (let i = 1; i < values.length; i++) if (values[i] !== first) return null;
  return first;
}

/** Whether TensorFlow.js is currently computing gradients. */
function isBackward(): boolean {
  const { activeTape, gradientDepth } = tf.engine().state as { activeTape: unknown; gradientDepth: number };
  return gradientDepth === 0 && activeTape !== null && activeTape !== undefined;
}
