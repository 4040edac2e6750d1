// Tests decoding in place on WebGPU. The decoder must draw the same tokens as the CPU, read results back once per turn,
// and draw the same tokens when a recorded turn is replayed.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { counters } from '../../engine/counters.ts';
import { countersSince } from '../../engine/testing/countersSince.ts';
import { copyRows } from '../../engine/ops/inPlace/inPlace.ts';
import { grantOnly } from '../../engine/testing/gpuBackend.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { decodingPolicy } from './decoder.ts';
import { DecodingStates } from './decodingStates.ts';
import { growingPolicy } from './growingDecoder.ts';
import { disposeTree, uploadTree } from '../network/parameters.ts';
import { playRounds, type PlayedRow, type ScriptedRound } from '../testing/playedRows.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { decodesInPlace } from './residentDecoder.ts';

const shape = testShapes['grouped'] as ModelShape;
const weights = livelyWeights(shape, 5);
const play = { seed: 9, temperature: 0.8, endIds: [2, 3, 17] };

beforeAll(() => startOwnDevice());

/**
 * Four rounds. The longest chunk of each round has the same length in every dialogue, so that recordings of the first
 * dialogue can be replayed for later ones.
 */
function dialogue(seed: number): ScriptedRound[] {
  const draws = new Draws(seed, streams.control, 3);
  return [5, 3, 3, 4].map((width, round) => ({
    window: 4,
    chunks: Array.from({ length: 3 }, (_, b) => {
      const tokens = Array.from({ length: b === 0 ? width : 1 + draws.below(width) }, () => draws.below(32));
      const visible = tokens.map((__, t) => t === tokens.length - 1 || draws.next() > 0.3);
      return b > 0 && round > 0 && draws.next() < 0.2 ? null : { tokens, visible };
    }),
  }));
}

/**
 * The same rounds. In addition, after each round, the first two rows become copies of one of them, which is drawn at
 * random.
 */
function parting(seed: number): ScriptedRound[] {
  const draws = new Draws(seed, streams.control, 4);
  return dialogue(seed).map((round) => {
    const kept = draws.below(2);
    const chunks = round.chunks.map((chunk) => chunk ?? { tokens: [draws.below(32)] });
    return { ...round, chunks, takes: [kept, kept, 2] };
  });
}

async function onCpu(rounds: ScriptedRound[]): Promise<PlayedRow[]> {
  expect(await tf.setBackend('cpu')).toBe(true);
  const tree = uploadTree(weights, shape);
  const rows = await playRounds(growingPolicy(tree, shape), rounds, play);
  disposeTree(tree);
  return rows;
}

it.each([
  ['sessions in one room', dialogue, true],
  ['sessions whose rows are taken, replayed,', parting, true],
  ['sessions whose rows are taken, run,', parting, false],
] as const)('%s give the tokens of the CPU, with one readback per turn', async (_, roundsOf, isReplayed) => {
  const expected: PlayedRow[][] = [];
  for (const seed of [0, 1, 2, 3]) expected.push(await onCpu(roundsOf(seed)));
  expect(await tf.setBackend('webgpu')).toBe(true);
  const tree = uploadTree(weights, shape);
  const rooms = new DecodingStates(isReplayed);
  expect(decodesInPlace(shape)).toBe(true);
  const policy = decodingPolicy(tree, shape, rooms);
  const submits: number[] = [];
  let left = 0;
  for (const [seed, rows] of expected.entries()) {
    const before = counters();
    const played = await playRounds(policy, roundsOf(seed), play);
    const spent = countersSince(before);
    expect(played.map(({ ids }) => ids)).toEqual(rows.map(({ ids }) => ids));
    played.forEach(({ logprobs }, b) =>
      logprobs.forEach((logprob, t) => {
        expect(Math.abs((logprob ?? 0) - (rows[b]?.logprobs[t] ?? 0))).toBeLessThan(1e-4);
      }),
    );
    expect(spent.readbacks).toBe(4);
    submits.push(spent.submits);
    if (seed > 1) expect(tf.memory().numTensors).toBe(left);
    left = tf.memory().numTensors;
  }
  // While commands are recorded, there are additional submissions. A replayed turn, including its readback, is a single
  // submission.
  if (roundsOf === dialogue) expect(submits.at(-1)).toBe(4);
  expect(rooms.note).toBe('');
  rooms.dispose();
  disposeTree(tree);
});

it.each([
  ['without limits', {}],
  ['under limits', { topK: 6, topP: 0.9, minP: 0.02 }],
])('sessions with a listener for each token %s give the same tokens on webgpu as on the CPU', async (_, limits) => {
  const rounds = dialogue(7);
  expect(await tf.setBackend('cpu')).toBe(true);
  const onHost = uploadTree(weights, shape);
  const expected = await playRounds(growingPolicy(onHost, shape), rounds, { ...play, limits });
  disposeTree(onHost);
  expect(await tf.setBackend('webgpu')).toBe(true);
  const tree = uploadTree(weights, shape);
  const said = await playRounds(decodingPolicy(tree, shape), rounds, { ...play, limits });
  expect(said.map(({ ids }) => ids)).toEqual(expected.map(({ ids }) => ids));
  disposeTree(tree);
});

it.each([3, 4])('rows of %i numbers are copied in place', async (width) => {
  expect(await tf.setBackend('webgpu')).toBe(true);
  const to = tf.tensor2d(
    Array.from({ length: 5 * width }, (_, i) => i),
    [5, width],
  );
  const from = tf.tensor1d([1, 1, 1, 3, 3], 'int32');
  copyRows(to, from);
  const found = Array.from(await to.data());
  expect(found).toEqual([1, 1, 1, 3, 3].flatMap((row) => Array.from({ length: width }, (_, i) => row * width + i)));
  tf.dispose([to, from]);
});

it('a session has fewer rows if the device limits its bindings', async () => {
  const back = grantOnly(await startOwnDevice(), { maxStorageBufferBindingSize: 2 ** 20 });
  const wide = { ...shape, maxPositions: 2 ** 11 };
  const tree = uploadTree(weights, wide);
  const { mostRows } = decodingPolicy(tree, wide);
  expect(mostRows).toBeGreaterThan(0);
  expect(mostRows).toBeLessThan(3);
  disposeTree(tree);
  back();
});
