// Rows that go on as other rows on WebGPU, in place and replayed: what the CPU says.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { copyRows } from '../../engine/ops/inPlace/inPlace.ts';
import { startWebGpu } from '../../engine/webgpu.ts';
import { DecodingStates } from './decodingStates.ts';
import { growingPolicy } from './growingDecoder.ts';
import { disposeTree, uploadTree } from '../network/parameters.ts';
import { playRounds, type PlayedRow, type ScriptedRound } from '../testing/playedRows.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { residentPolicy } from './residentDecoder.ts';

const shape = testShapes['grouped'] as ModelShape;
const weights = livelyWeights(shape, 5);
const play = { seed: 9, temperature: 0.8, endIds: [2, 3, 17] };

beforeAll(async () => {
  const adapter = (await navigator.gpu.requestAdapter()) as GPUAdapter;
  expect(adapter, 'an adapter').not.toBeNull();
  await startWebGpu(adapter, { onLost: () => undefined, onRefusal: () => undefined });
});

/** Four rounds; chunks are as long in every dialogue, and whom lanes go on as is drawn anew each time. */
function parting(seed: number): ScriptedRound[] {
  const draws = new Draws(seed, streams.control, 3);
  return [5, 3, 3, 4].map((width) => {
    const kept = draws.below(3);
    return {
      window: 4,
      chunks: Array.from({ length: 4 }, (_, b) => ({
        tokens: Array.from({ length: b === 0 ? width : 1 + draws.below(width) }, () => draws.below(32)),
      })),
      takes: [kept, kept, kept, 3],
    };
  });
}

it('sessions whose rows are taken say on webgpu what the CPU says, replayed or not', async () => {
  const seeds = [0, 1, 2, 3];
  const expected: PlayedRow[][] = [];
  expect(await tf.setBackend('cpu')).toBe(true);
  for (const seed of seeds) {
    const tree = uploadTree(weights, shape);
    expected.push(await playRounds(growingPolicy(tree, shape), parting(seed), play));
    disposeTree(tree);
  }
  for (const isReplayed of [true, false]) {
    expect(await tf.setBackend('webgpu')).toBe(true);
    const tree = uploadTree(weights, shape);
    const rooms = new DecodingStates(isReplayed);
    const policy = residentPolicy(tree, shape, rooms);
    let left = 0;
    for (const seed of seeds) {
      const rows = await playRounds(policy, parting(seed), play);
      expect(rows.map(({ ids }) => ids)).toEqual(expected[seed]?.map(({ ids }) => ids));
      rows.forEach(({ logprobs }, b) =>
        logprobs.forEach((logprob, t) => {
          expect(Math.abs((logprob ?? 0) - (expected[seed]?.[b]?.logprobs[t] ?? 0))).toBeLessThan(1e-4);
        }),
      );
      if (seed > 1) expect(tf.memory().numTensors).toBe(left);
      left = tf.memory().numTensors;
    }
    expect(rooms.note).toBe('');
    rooms.dispose();
    disposeTree(tree);
  }
});

describe.each([3, 4])('rows of %i numbers', (width) => {
  it('are copied where they lie', async () => {
    expect(await tf.setBackend('webgpu')).toBe(true);
    const to = tf.tensor2d(Array.from({ length: 5 * width }, (_, i) => i), [5, width]); // prettier-ignore
    const from = tf.tensor1d([1, 1, 1, 3, 3], 'int32');
    copyRows(to, from);
    const found = Array.from(await to.data());
    expect(found).toEqual([1, 1, 1, 3, 3].flatMap((row) => Array.from({ length: width }, (_, i) => row * width + i)));
    tf.dispose([to, from]);
  });
});
