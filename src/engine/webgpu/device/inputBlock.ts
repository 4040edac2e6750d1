// The inputs of a run that will be replayed: tensors of fixed shapes in one buffer, which is filled by one upload
// before each replay.
import * as tf from '@tensorflow/tfjs-core';
import type { ReplayBackend } from './replayBackend.ts';
import { layOut, packInto } from './views.ts';

/** An array to be uploaded to the device. */
export interface Upload {
  values: Float32Array | Int32Array;
  shape: readonly number[];
}

export class InputBlock {
  readonly tensors: Record<string, tf.Tensor>;
  readonly #backend: ReplayBackend;
  readonly #names: string[];
  readonly #layout: ReturnType<typeof layOut>;

  constructor(backend: ReplayBackend, uploads: Record<string, Upload>) {
    this.#backend = backend;
    this.#names = Object.keys(uploads).filter((name) => (uploads[name] as Upload).values.length > 0);
    const arrays = this.#names.map((name) => {
      const upload = uploads[name] as Upload;
      return { shape: upload.shape, dtype: typeOf(upload) };
    });
    this.#layout = layOut(arrays);
    const views = backend.flat(arrays);
    const empty = Object.keys(uploads).filter((name) => !this.#names.includes(name));
    this.tensors = Object.fromEntries([
      ...this.#names.map((name, i) => [name, views[i]]),
      ...empty.map((name) => [name, emptyTensor(uploads[name] as Upload)]),
    ]) as Record<string, tf.Tensor>;
  }

  get bytes(): number {
    return this.#layout.bytes;
  }

  /**
   * Writes new numbers for all inputs. Commands that were encoded before see the old numbers, and commands that are
   * encoded later see the new ones.
   */
  write(uploads: Record<string, Upload>): void {
    const [first] = this.#names;
    if (first === undefined) return;
    const { flat } = this.#backend.viewOf(this.tensors[first] as tf.Tensor) as { flat: { buffer: GPUBuffer } };
    const { places, bytes } = this.#layout;
    const arrays = this.#names.map((name) => (uploads[name] as Upload).values);
    this.#backend.refill(flat.buffer, bytes, (block) => packInto(block, places, arrays));
    for (const tensor of Object.values(this.tensors)) this.#backend.noteWrite(tensor.dataId);
  }

  dispose(): void {
    tf.dispose(this.tensors);
  }
}

/** The element type of the tensor that an array becomes. */
export function typeOf({ values }: Upload): 'float32' | 'int32' {
  return values instanceof Int32Array ? 'int32' : 'float32';
}

function emptyTensor(upload: Upload): tf.Tensor {
  return tf.keep(tf.tensor([], [...upload.shape], typeOf(upload)));
}
