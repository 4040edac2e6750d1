// Uploads numbers to the device. The numbers are collected in one block of bytes. This block is uploaded just before
// the submission of the commands that copy its parts to their buffers. A buffer can thus be filled several times within
// one submission, with different numbers each time. Direct writes would all happen before the first command.
import { tally } from '../../counters.ts';
import type { BufferPool } from './bufferPool.ts';

const smallest = 65536;

export class UploadBlock {
  readonly #queue: GPUQueue;
  readonly #pool: BufferPool;
  #buffer: GPUBuffer | null = null;
  #bytes = new Uint8Array(0);
  #used = 0;
  /** Blocks that have become too small but are still read by commands that have not been submitted yet. */
  #retired: GPUBuffer[] = [];

  constructor(queue: GPUQueue, pool: BufferPool) {
    this.#queue = queue;
    this.#pool = pool;
  }

  /**
   * Reserves `size` bytes, where `size` must be a multiple of 4. The caller fills `bytes`, which may contain old
   * numbers, and then adds a command that copies from `buffer` at `offset`.
   */
  reserve(size: number): { bytes: Uint8Array; buffer: GPUBuffer; offset: number } {
    if (!this.#buffer || this.#used + size > this.#bytes.length) this.#grow(size);
    const offset = this.#used;
    this.#used += size;
    return { bytes: this.#bytes.subarray(offset, this.#used), buffer: this.#buffer as GPUBuffer, offset };
  }

  /**
   * Fills the start of a buffer immediately. This is correct only if no commands wait to be submitted, because such a
   * write comes before all of them.
   */
  direct(target: GPUBuffer, size: number, fill: (bytes: Uint8Array) => void): void {
    if (size > this.#bytes.length) this.#grow(size);
    fill(this.#bytes.subarray(0, size));
    this.#queue.writeBuffer(target, 0, this.#bytes, 0, size);
    tally.uploadedBytes += size;
  }

  /** Must be called before a submission. */
  write(): void {
    if (this.#used === 0) return;
    this.#queue.writeBuffer(this.#buffer as GPUBuffer, 0, this.#bytes, 0, this.#used);
    tally.uploadedBytes += this.#used;
    this.#used = 0;
  }

  /** Must be called after a submission. */
  settle(): void {
    for (const buffer of this.#retired) this.#pool.releaseBuffer(buffer, false);
    this.#retired = [];
  }

  #grow(size: number): void {
    this.write();
    if (this.#buffer) this.#retired.push(this.#buffer);
    const bytes = Math.max(smallest, 2 ** Math.ceil(Math.log2(Math.max(size, this.#bytes.length + 1))));
    this.#bytes = new Uint8Array(bytes);
    this.#buffer = this.#pool.acquireBuffer(bytes, GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST, false, false);
  }
}
