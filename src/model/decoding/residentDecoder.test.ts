// Compares decoding in place with decoding with a growing cache, for the same sessions and the same random numbers.
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { ShapeError } from '../../base/errors.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { emulatedKernels } from '../../engine/ops/testing/emulatedKernels.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import type { SimdBackend } from '../../engine/simd/simdBackend.ts';
import type { Policy, TokenLimits } from '../../records/policy.ts';
import { decodingPolicy } from './decoder.ts';
import { DecodingStates } from './decodingStates.ts';
import { growingPolicy } from './growingDecoder.ts';
import { disposeTree, uploadTree, type ParameterTree } from '../network/parameters.ts';
import { playRounds, type PlayedRow, type ScriptedRound } from '../testing/playedRows.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { decodesInPlace, residentPolicy } from './residentDecoder.ts';

type MakePolicy = (tree: ParameterTree, shape: ModelShape) => Policy;

interface Session {
  shape: ModelShape;
  rounds: ScriptedRound[];
  play: { seed: number; temperature: number; endIds: number[]; limits?: TokenLimits };
}

const shapeNames = Object.keys(testShapes);

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
  for (const kernel of emulatedKernels('cpu')) tf.registerKernel(kernel);
});

beforeEach(async () => {
  await tf.setBackend(simdName);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * A session with irregular sizes. Chunks of context differ in length, some of their tokens are hidden, some rows pause,
 * and windows and temperatures vary.
 */
function randomSession(seed: number): Session {
  const draws = new Draws(seed, streams.control, 1);
  const rows = 1 + draws.below(7);
  const endIds = Array.from({ length: 1 + draws.below(8) }, () => draws.below(32));
  const rounds = Array.from({ length: 1 + draws.below(5) }, (_, round): ScriptedRound => {
    const speaker = draws.below(rows);
    const chunks = Array.from({ length: rows }, (__, b) => {
      const tokens = Array.from({ length: 1 + draws.below(7) }, () => draws.below(32));
      const visible = tokens.map((___, t) => t === tokens.length - 1 || draws.next() > 0.3);
      const waits = b !== speaker && round > 0 && draws.next() < 0.4;
      return waits ? null : { tokens, visible };
    });
    return { chunks, window: 1 + draws.below(8) };
  });
  const temperature = 0.4 + 1.4 * draws.next();
  const shape = testShapes[shapeNames[seed % shapeNames.length] as string] as ModelShape;
  return { shape, rounds, play: { seed, temperature, endIds } };
}

async function played({ shape, rounds, play }: Session, make: MakePolicy): Promise<PlayedRow[]> {
  const tree = uploadTree(livelyWeights(shape, play.seed), shape);
  const rows = await playRounds(make(tree, shape), rounds, play);
  disposeTree(tree);
  return rows;
}

function expectSame(resident: PlayedRow[], growing: PlayedRow[]): void {
  expect(resident.map(({ ids }) => ids)).toEqual(growing.map(({ ids }) => ids));
  resident.forEach(({ logprobs }, b) => {
    logprobs.forEach((logprob, t) => {
      const other = growing[b]?.logprobs[t] as number | null;
      expect(logprob === null).toBe(other === null);
      expect(Math.abs((logprob ?? 0) - (other ?? 0))).toBeLessThan(1e-5);
    });
  });
}

describe('decoding in place', () => {
  it.each([simdName, 'cpu'])('gives the same tokens on %s as decoding with a growing cache', async (backend) => {
    await tf.setBackend(backend);
    expect(decodesInPlace(testShapes['micro'] as ModelShape)).toBe(true);
    let sampled = 0;
    for (let seed = 0; seed < (backend === 'cpu' ? 4 : 20); seed++) {
      const session = randomSession(seed);
      const resident = await played(session, residentPolicy);
      expectSame(resident, await played(session, growingPolicy));
      sampled += resident.flatMap(({ logprobs }) => logprobs).filter((logprob) => logprob !== null).length;
    }
    expect(sampled).toBeGreaterThan(backend === 'cpu' ? 40 : 200);
  });

  it.each([
    ['in place', residentPolicy],
    ['over a growing cache', growingPolicy],
  ])('gives the same tokens %s if a listener receives each token', async (_, make) => {
    for (let seed = 0; seed < 12; seed++) {
      const session = randomSession(seed);
      expectSame(
        await played({ ...session, play: { ...session.play, limits: {} } }, make),
        await played(session, make),
      );
    }
  });

  it('gives the same limited tokens as a growing cache, and other tokens than without limits', async () => {
    const limits = { topK: 6, topP: 0.9, minP: 0.02 };
    let others = 0;
    for (let seed = 0; seed < 8; seed++) {
      const session = randomSession(seed);
      const limited = { ...session, play: { ...session.play, limits } };
      const resident = await played(limited, residentPolicy);
      expectSame(resident, await played(limited, growingPolicy));
      if (JSON.stringify(resident) !== JSON.stringify(await played(session, residentPolicy))) others++;
    }
    expect(others).toBeGreaterThan(4);
  });

  it('continues when rows in turn need more slots than one row has positions', async () => {
    const shape: ModelShape = { ...(testShapes['grouped'] as ModelShape), maxPositions: 24 };
    const rounds = Array.from({ length: 9 }, (_, round) => ({
      window: 3,
      chunks: Array.from({ length: 3 }, (__, b) => (round % 3 === b ? { tokens: [1, b, round, 9] } : null)),
    }));
    const session = { shape, rounds, play: { seed: 3, temperature: 1, endIds: [31] } };
    expectSame(await played(session, residentPolicy), await played(session, growingPolicy));
  });

  it.each([simdName, 'cpu'])(
    'draws no token on %s after every row has ended, and otherwise a full window',
    async (backend) => {
      await tf.setBackend(backend);
      const draws = vi.spyOn(tf.getKernel('TakeTokens', backend), 'kernelFunc');
      const rounds = [{ window: 6, chunks: [{ tokens: [1, 8] }, { tokens: [9] }] }];
      const shape = testShapes['micro'] as ModelShape;
      const everyId = Array.from({ length: shape.vocabSize }, (_, id) => id);
      await played({ shape, rounds, play: { seed: 1, temperature: 1, endIds: everyId } }, residentPolicy);
      expect(draws).toHaveBeenCalledTimes(1);
      await played({ shape, rounds, play: { seed: 1, temperature: 1, endIds: [shape.vocabSize] } }, residentPolicy);
      expect(draws).toHaveBeenCalledTimes(1 + 6);
    },
  );

  it('gives the same tokens in a state that other sessions used before', async () => {
    const shape = testShapes['grouped'] as ModelShape;
    const tree = uploadTree(livelyWeights(shape, 6), shape);
    const rooms = new DecodingStates(true);
    const { numTensors } = tf.memory();
    const chunks = (seed: number) => {
      const draws = new Draws(seed, streams.control, 2);
      return Array.from({ length: 3 }, () => ({
        tokens: Array.from({ length: 1 + draws.below(5) }, () => draws.below(32)),
      }));
    };
    const play = { seed: 1, temperature: 1, endIds: [4, 5] };
    const rounds = (seed: number) => [2, 5, 2].map((window, i) => ({ window, chunks: chunks(9 * seed + i) }));
    for (let seed = 0; seed < 4; seed++) {
      const kept = await playRounds(residentPolicy(tree, shape, rooms), rounds(seed), play);
      expect(kept).toEqual(await playRounds(residentPolicy(tree, shape), rounds(seed), play));
    }
    const left = tf.memory().numTensors;
    await playRounds(residentPolicy(tree, shape, rooms), rounds(1), play);
    expect(tf.memory().numTensors).toBe(left);
    rooms.dispose();
    expect(tf.memory().numTensors).toBe(numTensors);
    disposeTree(tree);
  });

  it('reads several chunks before it speaks', async () => {
    const shape = testShapes['tiny'] as ModelShape;
    const tree = uploadTree(livelyWeights(shape, 3), shape);
    const said = async (make: MakePolicy) => {
      const session = make(tree, shape).open(2);
      session.append([{ tokens: [1, 7] }, { tokens: [5] }]);
      session.append([{ tokens: [] }, { tokens: [9, 4, 6], visible: [true, false, true] }]);
      session.append([{ tokens: [8] }, { tokens: [] }]);
      const request = { window: 3, isActive: [true, false], temperature: 1, endIds: [2] };
      const turns = await session.sample({ ...request, addresses: Uint32Array.of(11, 4_000_000_000) });
      session.dispose();
      session.dispose(); // a second time changes nothing
      return turns;
    };
    const [resident, growing] = [await said(residentPolicy), await said(growingPolicy)];
    expect(resident.ids).toEqual(growing.ids);
    resident.logprobs.forEach((logprob, i) => expect(logprob).toBeCloseTo(growing.logprobs[i] as number, 5));
    disposeTree(tree);
  });

  it('reports the tokens so far of each row, token by token', async () => {
    const shape = testShapes['tiny'] as ModelShape;
    const tree = uploadTree(livelyWeights(shape, 3), shape);
    const session = residentPolicy(tree, shape).open(2);
    session.append([{ tokens: [1, 7] }, { tokens: [5] }]);
    const heard: number[][][] = [];
    const said = await session.sample({
      ...{ window: 8, isActive: [true, true], temperature: 1, endIds: [2, 9, 11, 14] },
      addresses: Uint32Array.of(11, 4_000_000_000),
      overhear: async (tokensOf) => {
        heard.push([tokensOf(0), tokensOf(1)]);
        await Promise.resolve();
      },
    });
    const turns = [...said.lengths].map((length, row) => [...said.ids.subarray(row * 8, row * 8 + length)]);
    expect(heard).toHaveLength(Math.max(...said.lengths));
    heard.forEach((rows, t) => expect(rows).toEqual(turns.map((turn) => turn.slice(0, t + 1))));
    session.dispose();
    disposeTree(tree);
  });

  it('reads the common start of prompts once, and gives the same tokens as for whole prompts', async () => {
    const wide = { hiddenSize: 640, intermediateSize: 960, numLayers: 2, numHeads: 4, numKvHeads: 2, headSize: 32 };
    const shape: ModelShape = { ...(testShapes['micro'] as ModelShape), ...wide, maxPositions: 32 };
    const tree = uploadTree(livelyWeights(shape, 5), shape);
    const prompt = [3, 9, 4, 7, 12, 5];
    const chunks = [prompt, prompt, [...prompt, 8], [...prompt.slice(0, 4), 1, 2], [9]].map((tokens) => ({ tokens }));
    const said = async (make: MakePolicy) => {
      const session = make(tree, shape).open(chunks.length);
      session.append(chunks);
      const request = { window: 4, isActive: chunks.map(() => true), temperature: 1, endIds: [31] };
      const turns = await session.sample({ ...request, addresses: Uint32Array.of(1, 99, 200, 300, 400) });
      session.append(chunks.map(() => ({ tokens: [6, 11] }))); // later tokens are taken in row by row
      const more = await session.sample({ ...request, addresses: Uint32Array.of(7, 8, 9, 10, 11) });
      session.dispose();
      return [turns, more] as const;
    };
    const [resident, growing] = [await said(residentPolicy), await said(growingPolicy)];
    resident.forEach(({ ids, logprobs }, turn) => {
      expect(ids).toEqual(growing[turn]?.ids);
      logprobs.forEach((logprob, i) => expect(logprob).toBeCloseTo(growing[turn]?.logprobs[i] as number, 4));
    });
    disposeTree(tree);
  });

  it('refuses a context longer than the model has positions', async () => {
    const shape: ModelShape = { ...(testShapes['micro'] as ModelShape), maxPositions: 4 };
    const tree = uploadTree(livelyWeights(shape, 1), shape);
    const session = decodingPolicy(tree, shape).open(1);
    expect(() => session.append([{ tokens: [1, 2, 3, 4, 5] }])).toThrow(ShapeError);
    session.append([{ tokens: [1, 2, 3, 4] }]);
    session.dispose();
    disposeTree(tree);
  });

  it('keeps the same memory after every session', async () => {
    const shape = testShapes['tiny'] as ModelShape;
    const tree = uploadTree(livelyWeights(shape, 2), shape);
    const { rounds, play } = randomSession(17);
    const { heap } = tf.backend() as SimdBackend;
    const held = async () => {
      await playRounds(residentPolicy(tree, shape), rounds, play);
      const { numTensors, numBytes } = tf.memory();
      return { numTensors, numBytes, heap: heap.usedBytes };
    };
    await held(); // makes the constants that stay
    const first = await held();
    await held();
    expect(await held()).toEqual(first);
    disposeTree(tree);
  });
});
