// Tests of rows that are replaced by copies of other rows. A copy must behave as if it had received the same context
// and sampled the same tokens from the start.
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { addressOf, Draws, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { emulatedKernels } from '../../engine/ops/testing/emulatedKernels.ts';
import { copyRows } from '../../engine/ops/inPlace/inPlace.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import type { Policy } from '../../records/policy.ts';
import { growingPolicy } from './growingDecoder.ts';
import { disposeTree, uploadTree, type ParameterTree } from '../network/parameters.ts';
import { playRounds, wholeRowLogprobs, type ScriptedRound } from '../testing/playedRows.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { residentPolicy } from './residentDecoder.ts';
import { turnPolicy } from './turnPolicy.ts';

const endIds = [2, 3, 10, 20];
const shape = testShapes['grouped'] as ModelShape;

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
  for (const kernel of emulatedKernels('cpu')) tf.registerKernel(kernel);
});

/**
 * Four rounds of six rows, whose chunks differ in length and contain hidden tokens. After each round except the last,
 * some rows are replaced by copies of others.
 */
function parting(seed: number): ScriptedRound[] {
  const draws = new Draws(seed, streams.control, 0);
  return [4, 6, 1, 5].map((window, round) => {
    const [low, high] = [draws.below(3), 3 + draws.below(2)];
    return {
      window,
      chunks: Array.from({ length: 6 }, (_, b) => {
        const tokens = Array.from({ length: 1 + draws.below(5) }, () => draws.below(32));
        const visible = tokens.map((__, t) => t === tokens.length - 1 || draws.next() > 0.3);
        // Some rows receive no context in this round. Such a row may be copied too.
        return round > 0 && b % 3 === 2 && draws.next() < 0.5 ? null : { tokens, visible };
      }),
      ...(round < 3 && { takes: [low, low, low, high, high, 5] }),
    };
  });
}

/** A policy that opens a new session for every turn and appends the whole history to it. */
const byTurn = (tree: ParameterTree, of: ModelShape): Policy => {
  const policy = residentPolicy(tree, of);
  return turnPolicy([policy, policy, policy, policy]);
};

const decoders: [string, string, (tree: ParameterTree, of: ModelShape) => Policy][] = [
  ['resident', simdName, residentPolicy],
  ['resident', 'cpu', residentPolicy],
  ['growing', simdName, growingPolicy],
  ['growing', 'cpu', growingPolicy],
  ['turn by turn', simdName, byTurn],
];

describe.each(decoders)('the %s decoder on %s', (_, backend, make) => {
  beforeAll(async () => {
    expect(await tf.setBackend(backend)).toBe(true);
  });

  it('has the log-probabilities of whole rows after rows were copied', async () => {
    const tree = uploadTree(livelyWeights(shape, 11), shape);
    for (const seed of [1, 2, 3]) {
      const rows = await playRounds(make(tree, shape), parting(seed), { seed, temperature: 0.8, endIds });
      const whole = await wholeRowLogprobs(rows, { tree, shape, temperature: 0.8 });
      let sampled = 0;
      rows.forEach(({ logprobs }, b) =>
        logprobs.forEach((logprob, t) => {
          if (logprob === null) return;
          expect(Math.abs(logprob - (whole[b]?.[t - 1] as number))).toBeLessThan(1e-5);
          sampled++;
        }),
      );
      expect(sampled).toBeGreaterThan(30);
    }
    disposeTree(tree);
  });

  it('continues like a session that received the copied rows from the start', async () => {
    const tree = uploadTree(livelyWeights(shape, 12), shape);
    const rounds = parting(4);
    const last = rounds.at(-1) as ScriptedRound;
    const chunk = { tokens: [5, 6, 7] };
    const before = await playRounds(make(tree, shape), rounds.slice(0, -1), { seed: 4, temperature: 1, endIds });
    const fed = make(tree, shape).open(6);
    fed.append(before.map(({ ids, isVisible }) => ({ tokens: ids, visible: isVisible })));
    const cut = before.map(({ ids }) => !endIds.includes(ids.at(-1) as number));
    fed.append(cut.map((is) => ({ tokens: [...(is ? [endIds[0] as number] : []), ...chunk.tokens] })));
    const addresses = Uint32Array.from({ length: 6 }, (__, b) => addressOf(4, 3, 3, b * last.window));
    const isActive = Array.from({ length: 6 }, () => true);
    const expected = await fed.sample({ window: last.window, isActive, addresses, temperature: 1, endIds });
    fed.dispose();
    const script = [...rounds.slice(0, -1), { window: last.window, chunks: isActive.map(() => chunk) }];
    const rows = await playRounds(make(tree, shape), script, { seed: 4, temperature: 1, endIds });
    rows.forEach((row, b) => {
      const length = expected.lengths[b] as number;
      const said = expected.ids.subarray(b * last.window, b * last.window + length);
      // A row that paused before it was copied is not treated as truncated, even if its last token is not an end token.
      expect(row.ids.slice(-length)).toEqual([...said]);
      row.logprobs.slice(-length).forEach((logprob, t) => {
        expect(Math.abs((logprob as number) - (expected.logprobs[b * last.window + t] as number))).toBeLessThan(1e-5);
      });
    });
    disposeTree(tree);
  });

  it('leaves no tensors, and refuses rows that are both source and target of a copy', () => {
    const tree = uploadTree(livelyWeights(shape, 13), shape);
    const begin = () => {
      const session = make(tree, shape).open(3);
      session.append([{ tokens: [1, 2] }, { tokens: [3] }, { tokens: [4, 5, 6] }]);
      return session;
    };
    begin().dispose(); // constants stay
    const count = tf.memory().numTensors;
    const session = begin();
    const open = tf.memory().numTensors;
    session.takeRows([1, 1, 1]);
    expect(tf.memory().numTensors).toBe(open);
    expect(() => session.takeRows([1, 2, 2])).toThrow(ShapeError);
    expect(() => session.takeRows([0, 1])).toThrow('takeRows');
    expect(() => session.takeRows([0, 1, 9])).toThrow(
      'row 2 can be copied only from a row that exists and stays unchanged, got row 9',
    );
    session.dispose();
    expect(tf.memory().numTensors).toBe(count);
    disposeTree(tree);
  });
});

it.each([simdName, 'cpu'])('rows are copied in place on %s', async (backend) => {
  await tf.setBackend(backend);
  const to = tf.tensor3d([1, 2, 3, 4, 5, 6, 7, 8], [4, 1, 2]);
  const also = tf.reshape(to, [8]);
  copyRows(to, tf.tensor1d([0, 0, 3, 3], 'int32'));
  expect([...also.dataSync()]).toEqual([1, 2, 1, 2, 7, 8, 7, 8]);
  expect(() => copyRows(to, tf.tensor1d([0, 0], 'int32'))).toThrow(/copyRows: from must be int32 \[4\]/);
  tf.dispose([to, also]);
});
