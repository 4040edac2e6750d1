// Tests of a policy with a different network for each turn. Each network must sample as if it alone had processed the
// whole context so far, including the tokens that other networks sampled.
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import type { Policy, SampleRequest } from '../../records/policy.ts';
import { decodingPolicy } from './decoder.ts';
import { DecodingStates } from './decodingStates.ts';
import { disposeTree, uploadTree } from '../network/parameters.ts';
import { playRounds, wholeRowLogprobs, type ScriptedRound } from '../testing/playedRows.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { turnPolicy } from './turnPolicy.ts';

const shape = testShapes['grouped'] as ModelShape;
const play = { seed: 4, temperature: 0.8, endIds: [2, 3, 10, 20] };
const windows = [4, 6, 5];

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
  expect(await tf.setBackend(simdName)).toBe(true);
});

/**
 * Three rounds of four rows, whose chunks differ in length and contain hidden tokens. The last row ends after the first
 * round.
 */
function script(seed: number): ScriptedRound[] {
  const draws = new Draws(seed, streams.control, 7);
  return windows.map((window, round) => ({
    window,
    chunks: Array.from({ length: 4 }, (_, b) => {
      const tokens = Array.from({ length: 1 + draws.below(5) }, () => draws.below(32));
      const visible = tokens.map((__, t) => t === tokens.length - 1 || (round > 0 && draws.next() > 0.3));
      visible[0] = true;
      return round > 0 && b === 3 ? null : { tokens, visible };
    }),
  }));
}

const trees = () => windows.map((_, n) => uploadTree(livelyWeights(shape, 30 + n), shape));

it('each turn has the log-probabilities of its own network on the whole row', async () => {
  const networks = trees();
  const rooms = new DecodingStates(true, windows.length);
  const policies = networks.map((tree) => decodingPolicy(tree, shape, rooms)) as [Policy, ...Policy[]];
  for (const seed of [1, 2, 3]) {
    const rows = await playRounds(turnPolicy(policies), script(seed), { ...play, seed });
    const whole = await Promise.all(
      networks.map((tree) => wholeRowLogprobs(rows, { tree, shape, temperature: play.temperature })),
    );
    const far = whole.map(() => [0, 0, 0]);
    rows.forEach(({ logprobs }, b) => {
      let turn = -1;
      logprobs.forEach((logprob, t) => {
        if (logprob === null) return;
        if (logprobs[t - 1] === null) turn++;
        whole.forEach((ofRows, n) => {
          const distances = far[n] as number[];
          const distance = Math.abs(logprob - (ofRows[b]?.[t - 1] as number));
          distances[turn] = Math.max(distances[turn] as number, distance);
        });
      });
      expect(turn, `row ${b}`).toBe(b === 3 ? 0 : 2);
    });
    far.forEach((ofTurns, n) =>
      ofTurns.forEach((distance, turn) => {
        if (n === turn) expect(distance, `turn ${turn}`).toBeLessThan(1e-5);
        else expect(distance, `turn ${turn} by network ${n}`).toBeGreaterThan(0.01);
      }),
    );
  }
  rooms.dispose();
  networks.forEach(disposeTree);
});

it('a session of one turn is open only while it speaks, and is closed if speaking fails', async () => {
  const networks = trees();
  const policies = networks.map((tree) => decodingPolicy(tree, shape)) as [Policy, ...Policy[]];
  const session = turnPolicy(policies).open(2);
  const request: SampleRequest = { ...play, window: 3, isActive: [true, true], addresses: Uint32Array.of(5, 6) };
  const speak = async () => {
    session.append([{ tokens: [4, 5] }, { tokens: [6] }]);
    await session.sample(request);
  };
  await speak(); // constants stay
  const count = tf.memory().numTensors;
  await speak();
  expect(tf.memory().numTensors).toBe(count);
  session.append([{ tokens: new Array<number>(shape.maxPositions).fill(5) }, { tokens: [7] }]);
  await expect(session.sample(request)).rejects.toThrow('append: expected at most');
  expect(tf.memory().numTensors).toBe(count);
  await expect(session.sample(request)).rejects.toThrow(ShapeError);
  await expect(session.sample({ ...request, turn: 3 })).rejects.toThrow('policies for only 3 turns');
  expect(() => session.append([])).toThrow('append: expected 2 rows, got 0');
  session.dispose();
  networks.forEach(disposeTree);
});
