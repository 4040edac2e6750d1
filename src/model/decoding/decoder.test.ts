// Tests that decoding all rows in lock-step with a cache gives the same log-probabilities as computing the same rows as
// a whole.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { ShapeError } from '../../base/errors.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { sampleReference } from '../../engine/ops/tokens/testing/reference.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import type { Policy } from '../../records/policy.ts';
import { decodingPolicy } from './decoder.ts';
import { disposeTree, downloadTree, uploadTree, type ParameterTree } from '../network/parameters.ts';
import { playRounds, wholeRowLogprobs, type PlayedRow, type ScriptedRound } from '../testing/playedRows.ts';
import { livelyWeights, rowLogitsReference, testShapes } from '../testing/reference.ts';

const endIds = [2, 3, 10, 20];

/**
 * Five rounds for six rows. The chunks of context differ in length, and some of their tokens are hidden. Some rows
 * pause for one round, and some pause from a certain round to the end.
 */
function scriptedRounds(seed: number, rows = 6, windows = [4, 7, 1, 5, 3]): ScriptedRound[] {
  const draws = new Draws(seed, streams.control, 0);
  return windows.map((window, round) => ({
    window,
    chunks: Array.from({ length: rows }, (_, b) => {
      const waits = round > 0 && (draws.next() < 0.2 || b + round > rows + 1);
      const tokens = Array.from({ length: 1 + draws.below(6) }, () => draws.below(32));
      const visible = tokens.map((_token, t) => t === tokens.length - 1 || draws.next() > 0.35);
      return waits ? null : { tokens, ...(b !== 1 && { visible }) };
    }),
  }));
}

/** Sampled positions of a row. */
const sampledAt = ({ logprobs }: PlayedRow) => logprobs.flatMap((logprob, t) => (logprob === null ? [] : [t]));
const micro = testShapes['micro'] as ModelShape;

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
});

beforeEach(async () => {
  await tf.setBackend(simdName);
});

async function withPolicy<T>(
  shape: ModelShape,
  seed: number,
  run: (policy: Policy, tree: ParameterTree) => Promise<T>,
): Promise<T> {
  const tree = uploadTree(livelyWeights(shape, seed), shape);
  const result = await run(decodingPolicy(tree, shape), tree);
  disposeTree(tree);
  return result;
}

describe('a played dialogue', () => {
  const cases = [
    ['micro', simdName, 1],
    ['micro', 'cpu', 1],
    ['tiny', simdName, 1],
    ['grouped', simdName, 0.7],
    ['untied', simdName, 1.6],
    ['untied', 'cpu', 1.6],
    ['gemma', simdName, 1],
    ['gemma', 'cpu', 1],
  ] as const;

  it.each(cases)('of %s on %s at temperature %f has the log-probabilities that whole rows have', async (...at) => {
    const [name, backend, temperature] = at;
    const shape = testShapes[name] as ModelShape;
    expect(await tf.setBackend(backend)).toBe(true);
    await withPolicy(shape, 11, async (policy, tree) => {
      const rows = await playRounds(policy, scriptedRounds(21), { seed: 5, temperature, endIds });
      const whole = await wholeRowLogprobs(rows, { tree, shape, temperature });
      let sampled = 0;
      rows.forEach((row, b) => {
        for (const t of sampledAt(row)) {
          expect(Math.abs((row.logprobs[t] as number) - (whole[b]?.[t - 1] as number))).toBeLessThan(1e-5);
          sampled++;
        }
      });
      expect(sampled).toBeGreaterThan(40);
    });
  });

  it('covers cut turns, ended turns, hidden tokens and waiting rows', async () => {
    const rounds = scriptedRounds(21);
    const rows = await withPolicy(micro, 11, (policy) =>
      playRounds(policy, rounds, { seed: 5, temperature: 1, endIds }),
    );
    const ends = rows.flatMap((row) => sampledAt(row).filter((t) => endIds.includes(row.ids[t] as number)));
    expect(ends.length).toBeGreaterThan(3);
    expect(rounds.flatMap(({ chunks }) => chunks).filter((chunk) => chunk === null).length).toBeGreaterThan(3);
    expect(rows.flatMap(({ isVisible }) => isVisible).filter((is) => !is).length).toBeGreaterThan(8);
    const cut = rows.filter((row) =>
      sampledAt(row).some((t) => !endIds.includes(row.ids[t] as number) && row.logprobs[t + 1] === null),
    );
    expect(cut.length).toBeGreaterThan(2);
  });

  it.each(['micro', 'untied', 'gemma'])('of %s contains the tokens of the inverse CDF in float64', async (name) => {
    const shape = testShapes[name] as ModelShape;
    const weights = livelyWeights(shape, 11);
    for (const temperature of [0.5, 1, 1.5]) {
      const rows = await withPolicy(shape, 11, (policy) =>
        playRounds(policy, scriptedRounds(33), { seed: 8, temperature, endIds }),
      );
      for (const row of rows) {
        const logits = rowLogitsReference(shape, weights, row.ids, row.isVisible);
        for (const t of sampledAt(row)) {
          const before = logits.slice((t - 1) * 32, t * 32);
          expect(sampleReference(before, [row.uniforms[t] as number], 32, temperature)).toEqual([row.ids[t]]);
        }
      }
    }
  });

  it('is the same for the same seed, and different for another seed', async () => {
    const played = (seed: number) =>
      withPolicy(micro, 11, (policy) => playRounds(policy, scriptedRounds(4), { seed, temperature: 1, endIds }));
    const first = await played(1);
    expect(await played(1)).toEqual(first);
    expect((await played(2)).map(({ ids }) => ids)).not.toEqual(first.map(({ ids }) => ids));
  });

  it('continues in a row, whatever the other rows do', async () => {
    const rounds = scriptedRounds(6);
    await withPolicy(micro, 11, async (policy) => {
      const play = { seed: 3, temperature: 1, endIds };
      const together = await playRounds(policy, rounds, play);
      const alone = await playRounds(
        policy,
        rounds.map(({ window, chunks }) => ({ window, chunks: chunks.slice(0, 1) })), // row 0 keeps its draws
        play,
      );
      expect(alone[0]?.ids).toEqual(together[0]?.ids);
      alone[0]?.logprobs.forEach((logprob, t) => {
        if (logprob !== null) expect(logprob).toBeCloseTo(together[0]?.logprobs[t] as number, 5);
      });
    });
  });

  it('may fill its last position', async () => {
    const shape: ModelShape = { ...micro, maxPositions: 9 };
    await withPolicy(shape, 11, async (policy, tree) => {
      const rounds = [{ window: 4, chunks: [{ tokens: [1, 8, 9, 2, 4] }, { tokens: [1, 4] }] }];
      const rows = await playRounds(policy, rounds, { seed: 2, temperature: 1, endIds: [99] });
      expect(rows.map(({ ids }) => ids.length)).toEqual([9, 6]);
      const whole = await wholeRowLogprobs(rows, { tree, shape, temperature: 1 });
      rows.forEach((row, b) => {
        for (const t of sampledAt(row)) expect(row.logprobs[t]).toBeCloseTo(whole[b]?.[t - 1] as number, 5);
      });
    });
  });
});

describe('a session', () => {
  it('reads back once per turn, and never waits for the device otherwise', async () => {
    await withPolicy(micro, 11, async (policy) => {
      const asynchronous = vi.spyOn(tf.Tensor.prototype, 'data');
      const synchronous = vi.spyOn(tf.Tensor.prototype, 'dataSync');
      try {
        await playRounds(policy, scriptedRounds(2), { seed: 1, temperature: 1, endIds });
        expect(asynchronous).toHaveBeenCalledTimes(5);
        expect(synchronous).not.toHaveBeenCalled();
      } finally {
        vi.restoreAllMocks();
      }
    });
  });

  it.each(['cpu', simdName])('leaves no tensors on %s', async (backend) => {
    await tf.setBackend(backend);
    await withPolicy(micro, 11, async (policy) => {
      const play = () => playRounds(policy, scriptedRounds(2), { seed: 1, temperature: 1, endIds });
      await play(); // makes the constants that stay
      const before = tf.memory();
      await play();
      await play();
      policy.open(3).dispose();
      expect(tf.memory().numTensors).toBe(before.numTensors);
      expect(tf.memory().numBytes).toBe(before.numBytes);
    });
  });

  it('does not change the weights', async () => {
    const weights = livelyWeights(micro, 11);
    const tree = uploadTree(weights, micro);
    const play = { seed: 1, temperature: 1, endIds };
    const first = await playRounds(decodingPolicy(tree, micro), scriptedRounds(2), play);
    expect(await downloadTree(tree, micro)).toEqual(weights);
    expect(await playRounds(decodingPolicy(tree, micro), scriptedRounds(2), play)).toEqual(first);
    disposeTree(tree);
  });

  it('gives nothing for waiting rows, and zeros after the end of a turn', async () => {
    await withPolicy(micro, 11, async (policy) => {
      const session = policy.open(3);
      session.append([{ tokens: [1, 4] }, { tokens: [1, 9, 4] }, { tokens: [1] }]);
      const ask = { window: 6, addresses: Uint32Array.of(3, 30, 300), temperature: 1 };
      const said = await session.sample({ ...ask, isActive: [true, false, true], endIds: [...Array(32).keys()] });
      expect([...said.lengths]).toEqual([1, 0, 1]);
      expect([...said.ids.slice(1, 12), ...said.ids.slice(13)]).toEqual(new Array(16).fill(0));
      expect([...said.logprobs.slice(1, 12), ...said.logprobs.slice(13)]).toEqual(new Array(16).fill(0));
      session.dispose();
    });
  });

  it('refuses a wrong number of rows, and rows that speak without any tokens', async () => {
    await withPolicy(micro, 11, async (policy) => {
      const session = policy.open(2);
      const ask = { window: 1, addresses: new Uint32Array(2), temperature: 1, endIds, isActive: [true, true] };
      expect(() => session.append([{ tokens: [1] }])).toThrow(ShapeError);
      session.append([{ tokens: [1] }, { tokens: [] }]);
      await expect(session.sample({ ...ask, isActive: [true] })).rejects.toThrow('sample: expected 2 rows, got 1');
      await expect(session.sample(ask)).rejects.toThrow('row 1 has received no tokens');
      await session.sample({ ...ask, isActive: [true, false] });
      session.append([{ tokens: [] }, { tokens: [7] }]); // row 0 was cut: its last token is still to be fed
      await session.sample(ask);
      await expect(session.sample(ask)).rejects.toThrow(ShapeError);
      session.dispose();
    });
  });
});
