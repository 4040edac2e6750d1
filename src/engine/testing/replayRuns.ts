// Runs a step several times with different numbers, for the tests of recording and replay.
import type * as tf from '@tensorflow/tfjs-core';
import type { Compute, Replays } from '../replay.ts';

/** `size` numbers that depend on `from`. */
export const ramp = (size: number, from = 0) => Float32Array.from({ length: size }, (_, i) => Math.sin(from + i));
/** Values and shape in the form in which inputs are uploaded. */
export const upload = (values: Float32Array, shape: number[] = [values.length]) => ({ values, shape });
/** Reads the numbers of each tensor. */
export const read = async (tensors: tf.Tensor[]) => Promise.all(tensors.map(async (x) => Array.from(await x.data())));

/** Runs a step several times with different numbers, and returns the outputs of each run. */
export async function severalRuns(kept: Replays, compute: Compute<tf.Tensor[]>, runs = 5): Promise<number[][][]> {
  const all: number[][][] = [];
  for (let run = 0; run < runs; run++) {
    const { outputs, release } = kept.run('step', { x: upload(ramp(48, run), [12, 4]) }, compute);
    all.push(await read(outputs));
    release();
  }
  return all;
}
