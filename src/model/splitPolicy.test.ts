// More rows than a session may have: the same tokens in parts.
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../base/errors.ts';
import { Draws, streams } from '../base/random.ts';
import type { ModelShape } from '../config/sizes.ts';
import { registerSimd, simdName } from '../engine/simd/backend.ts';
import type { Policy } from '../records/policy.ts';
import { disposeTree, uploadTree } from './parameters.ts';
import { playRounds, type ScriptedRound } from './playedRows.ts';
import { livelyWeights, testShapes } from './reference.ts';
import { residentPolicy } from './residentDecoder.ts';
import { partSize, splitPolicy } from './splitPolicy.ts';

const shape = testShapes['grouped'] as ModelShape;
const play = { seed: 4, temperature: 0.8, endIds: [2, 3, 10] };

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
  expect(await tf.setBackend(simdName)).toBe(true);
});

/** Three rounds of seven rows; in the second, rows 3 to 5 wait. */
function rounds(): ScriptedRound[] {
  const draws = new Draws(2, streams.control, 1);
  return [4, 5, 3].map((window, round) => ({
    window,
    chunks: Array.from({ length: 7 }, (_, b) => {
      const tokens = Array.from({ length: 1 + draws.below(5) }, () => draws.below(32));
      return round === 1 && b >= 3 && b < 6 ? null : { tokens };
    }),
  }));
}

describe('a policy in parts', () => {
  it.each([1, 2, 3, 6])('of %i rows at most says the same tokens as a whole one', async (most) => {
    const tree = uploadTree(livelyWeights(shape, 3), shape);
    const opened: number[] = [];
    const whole = residentPolicy(tree, shape);
    const counted: Policy = { ...whole, open: (rows) => (opened.push(rows), whole.open(rows)) };
    const expected = await playRounds(whole, rounds(), play);
    const parts = await playRounds(splitPolicy(counted, most), rounds(), play);
    expect(parts.map(({ ids }) => ids)).toEqual(expected.map(({ ids }) => ids));
    parts.forEach(({ logprobs }, b) =>
      logprobs.forEach((logprob, t) => {
        expect(Math.abs((logprob ?? 0) - (expected[b]?.logprobs[t] ?? 0))).toBeLessThan(1e-5);
      }),
    );
    expect(Math.max(...opened)).toBeLessThanOrEqual(most);
    expect(opened.reduce((sum, rows) => sum + rows, 0)).toBe(7);
    disposeTree(tree);
  });

  it('is whole where it fits', () => {
    const opened: number[] = [];
    const policy = { maxPositions: 8, open: (rows: number) => (opened.push(rows), {} as never) };
    splitPolicy(policy, 7).open(7);
    expect(opened).toEqual([7]);
  });

  it('keeps groups of two to eight rows together wherever it can', () => {
    expect([5000, 839, 119, 25, 23, 1, 0].map(partSize)).toEqual([4200, 720, 96, 24, 23, 1, 1]);
  });

  it('refuses a row that would go on as one of another part', () => {
    const tree = uploadTree(livelyWeights(shape, 3), shape);
    const session = splitPolicy(residentPolicy(tree, shape), 2).open(4);
    expect(() => session.takeRows([0, 1, 1, 3])).toThrow(ShapeError);
    expect(() => session.takeRows([0, 1])).toThrow(ShapeError);
    session.dispose();
    disposeTree(tree);
  });
});
