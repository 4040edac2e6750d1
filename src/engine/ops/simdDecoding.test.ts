// The in-place kernels of decoding against the plain loops of ops/decodeReference.ts, each run twice in a row as a
// session does: what the first call wrote is what the second reads. Memory is poisoned.
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { cachedAttention } from './attention/cachedAttention.ts';
import { normals } from './testing/numbers.ts';
import { emulatedKernels } from './testing/emulatedKernels.ts';
import { addInto, advance, copyInto, writeSlots } from './inPlace/inPlace.ts';
import { distance } from './testing/numbers.ts';
import { takeTokens } from './tokens/takeTokens.ts';
import { registerSimd, simdName } from '../simd.ts';
import type { SimdBackend } from '../simd/simdBackend.ts';
import { poisonNewBlocks } from '../testing/poisonNewBlocks.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../simd/kernels.wasm', import.meta.url)))).toBe(true);
  for (const kernel of emulatedKernels('cpu')) tf.registerKernel(kernel);
  await tf.setBackend(simdName);
  poisonNewBlocks(tf.backend() as SimdBackend);
});

function random(shape: number[], seed: number): tf.Tensor {
  return tf.tensor(Float32Array.from(normals(tf.util.sizeFromShape(shape), seed)), shape);
}

/** Zeros and ones. */
function coins(shape: number[], seed: number): tf.Tensor {
  return tf.tidy(() => tf.cast(tf.greater(random(shape, seed), 0), 'float32'));
}

function ints(values: number[]): tf.Tensor1D {
  return tf.tensor1d(values, 'int32');
}

/** What `run` returns, on our backend and on the plain loops; afterwards no tensor may be left. */
async function onBoth(run: () => tf.Tensor[]): Promise<[Float32Array[], Float32Array[]]> {
  const results: Float32Array[][] = [];
  for (const backend of [simdName, 'cpu']) {
    await tf.setBackend(backend);
    const before = tf.memory().numTensors;
    results.push(tf.tidy(() => run().map((tensor) => Float32Array.from(tensor.dataSync()))) as Float32Array[]);
    expect(tf.memory().numTensors).toBe(before);
  }
  return results as [Float32Array[], Float32Array[]];
}

describe('cachedAttention', () => {
  it.each([
    { rows: 3, steps: 1, used: 7, capacity: 12, heads: 4, keyHeads: 2, size: 6 },
    { rows: 2, steps: 3, used: 5, capacity: 14, heads: 4, keyHeads: 4, size: 12 },
    { rows: 3, steps: 2, used: 0, capacity: 4, heads: 2, keyHeads: 1, size: 16 },
    { rows: 1, steps: 5, used: 18, capacity: 40, heads: 2, keyHeads: 2, size: 32 },
  ])('writes the cache and mixes it as the plain loops do: %o', async (sizes) => {
    const { rows, steps, used, capacity, heads, keyHeads, size } = sizes;
    const run = () => {
      const caches = [1, 2].map((seed) => random([rows, capacity, keyHeads * size], seed)) as [
        tf.Tensor3D,
        tf.Tensor3D,
      ];
      const mask = coins([rows, capacity], 3) as tf.Tensor2D;
      const state = ints([used, 0]);
      const angles = random([20, size / 2], 4);
      const [cos, sin] = [tf.cos(angles), tf.sin(angles)].map((half) => tf.concat([half, half], 1)) as [
        tf.Tensor2D,
        tf.Tensor2D,
      ];
      const outputs = [0, 1].map((turn) => {
        const positions = ints(Array.from({ length: rows * steps }, (_, i) => (3 * i + turn) % 20));
        const qkv = random([rows * steps, (heads + 2 * keyHeads) * size], 5 + turn) as tf.Tensor2D;
        const [keys, values] = caches;
        const y = cachedAttention({ keys, values, qkv, cos, sin, positions, mask, state }, { heads, keyHeads });
        advance(state, { slots: steps, steps: 1 });
        return y;
      });
      return [...outputs, ...caches, mask, state];
    };
    const [ours, expected] = await onBoth(run);
    ours.forEach((values, i) => {
      expect(distance(values, expected[i] as Float32Array)).toBeLessThan(1e-5);
    });
  });
});

describe('the bookkeeping of a turn', () => {
  it('takeTokens draws, records, marks and retires as the plain loops do', async () => {
    const run = () => {
      const [ids, positions] = [ints([0, 0, 0, 0]), ints([0, 0, 0, 0])];
      const out = tf.zeros([5, 2, 4]) as tf.Tensor3D;
      const uniforms = tf.tensor2d(
        Array.from({ length: 20 }, (_, i) => ((i * 7) % 20) / 20.5),
        [5, 4],
      );
      const alive = tf.tensor1d([1, 1, 0, 1]);
      const mask = tf.zeros([4, 6]) as tf.Tensor2D;
      const state = ints([2, 1]);
      for (const seed of [1, 2, 3]) {
        const logits = random([4, 9], seed) as tf.Tensor2D;
        const inputs = { ids, out, logits, uniforms, alive, mask, starts: ints([3, 0, 7, 5]), positions, state };
        takeTokens(inputs, { temperature: 0.8, endIds: [1, 4, 6], maxPosition: 8 });
        advance(state, { slots: 1, steps: 1 });
      }
      return [ids, positions, out, alive, mask, state];
    };
    const [ours, expected] = await onBoth(run);
    ours.forEach((values, i) => {
      expect(distance(values, expected[i] as Float32Array)).toBeLessThan(1e-5);
    });
    expect(ours[3]).toEqual(expected[3]);
    expect([...(ours[3] as Float32Array)]).not.toEqual([1, 1, 0, 1]);
  });

  it('takeTokens in a full cache leaves the next row alone', async () => {
    await tf.setBackend(simdName);
    const mask = tf.zeros([2, 3]) as tf.Tensor2D;
    const state = ints([3, 0]);
    const inputs = {
      ...{ ids: ints([0, 0]), starts: ints([0, 0]), positions: ints([0, 0]), alive: tf.ones([2]) as tf.Tensor1D },
      ...{ out: tf.zeros([1, 2, 2]) as tf.Tensor3D, uniforms: tf.zeros([1, 2]) as tf.Tensor2D },
      logits: tf.zeros([2, 5]) as tf.Tensor2D,
    };
    takeTokens({ ...inputs, mask, state }, { temperature: 1, endIds: [], maxPosition: 9 });
    expect([...mask.dataSync()]).toEqual([0, 0, 0, 0, 0, 0]);
    tf.dispose([mask, state, ...Object.values(inputs)]);
  });

  it('writeSlots fills the slots behind those in use', async () => {
    const run = () => {
      const mask = random([3, 7], 1) as tf.Tensor2D;
      writeSlots(mask, coins([3, 2], 2) as tf.Tensor2D, ints([4, 9]));
      return [mask];
    };
    const [ours, expected] = await onBoth(run);
    expect(ours).toEqual(expected);
  });

  it('addInto, copyInto and advance change the tensor that others hold', async () => {
    const run = () => {
      const [sum, counts] = [random([5, 3], 1), ints([1, 2, 3])];
      const held = tf.clone(sum);
      addInto(sum, random([5, 3], 2));
      const wide = tf.zeros([15]);
      copyInto(wide, sum);
      copyInto(counts, ints([7, 8, 9]));
      const state = ints([4, 1]);
      advance(state, { slots: 3, steps: 1 });
      return [sum, held, wide, counts, state];
    };
    const [ours, expected] = await onBoth(run);
    expect(ours).toEqual(expected);
    expect([...(ours[4] as Float32Array)]).toEqual([7, 2]);
  });
});
