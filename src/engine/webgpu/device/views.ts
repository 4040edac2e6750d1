// Tensors that are parts of one device buffer. One upload fills all these tensors, and one binding gives a program
// access to all of them. The buffer returns to its pool when the last of these tensors is freed.
import * as tf from '@tensorflow/tfjs-core';
import type { BufferPool } from './bufferPool.ts';

/**
 * The offset of each part in bytes must be a multiple of this number, which satisfies the alignment rules of every
 * device.
 */
const alignment = 256;

export const tensorUsage = () => GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

export interface ArrayLayout {
  shape: readonly number[];
  dtype: 'float32' | 'int32';
}

/** A range of a buffer. */
export interface View {
  flat: FlatBuffer;
  offset: number;
  size: number;
}

/** The offset and size in bytes of each array in a buffer that contains all of them, and the size of the buffer. */
export function layOut(arrays: readonly ArrayLayout[]): { places: { offset: number; size: number }[]; bytes: number } {
  let bytes = 0;
  const places = arrays.map(({ shape }) => {
    const place = { offset: bytes, size: tf.util.sizeFromShape([...shape]) * 4 };
    bytes += Math.ceil(place.size / alignment) * alignment;
    return place;
  });
  return { places, bytes };
}

/** Copies the numbers of each array to the offset of the array in a block of bytes. */
export function packInto(
  bytes: Uint8Array,
  places: readonly { offset: number; size: number }[],
  arrays: readonly (Float32Array | Int32Array)[],
): void {
  places.forEach(({ offset }, i) => {
    const { buffer, byteOffset, byteLength } = arrays[i] as Float32Array;
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
  });
}

/** A buffer with the number of its views. */
export class FlatBuffer {
  readonly buffer: GPUBuffer;
  readonly #pool: BufferPool;
  #holders = 0;

  constructor(pool: BufferPool, bytes: number) {
    this.#pool = pool;
    this.buffer = pool.acquireBuffer(bytes, tensorUsage());
  }

  /** Creates a view of this buffer, and increases the number of views by 1. */
  view(offset: number, size: number): View {
    this.#holders++;
    return { flat: this, offset, size };
  }

  /** Removes a view. When the last view is removed, the buffer is released. */
  release(): void {
    if (--this.#holders === 0) this.#pool.releaseBuffer(this.buffer);
  }
}
