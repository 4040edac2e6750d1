// Compares the attention in every layer and head with a network that is implemented by plain loops and shares no code
// with the tested one.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import type { ConfigInput } from '../../../config/schema.ts';
import type { ModelShape } from '../../../config/sizes.ts';
import type { Trajectory } from '../../../records/trajectory.ts';
import { disposeTree, downloadTree, initialWeights, uploadTree } from '../../../model/network/parameters.ts';
import { viewRows } from '../../../rollout/view.ts';
import { rowAttentionReference } from '../../../training/reference/attention.ts';
import type { Network } from '../../../training/team/network.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { startRun } from '../../../training/testing/microRun.ts';
import { attentionOf } from './attention.ts';

onCpu();

async function talked(settings: ConfigInput = {}) {
  const run = await startRun({ learning: { problemsPerIteration: 2, groupSize: 2 }, ...settings });
  await run.session.train(1);
  const [trajectories] = run.collected() as [Trajectory[]];
  return { ...run.session.trainState, trajectories };
}

describe('the attention of a network', () => {
  for (const parameters of ['shared', 'separate'] as const) {
    it(`is that of an independent calculation, for tokens of both agents (${parameters} parameters)`, async () => {
      const { team, networks, trajectories } = await talked({ agents: { parameters } });
      for (const trajectory of trajectories) {
        for (const { index: turn, agent, tokens } of trajectory.turns) {
          const token = tokens.length - 1;
          const look = await attentionOf({ team, networks, trajectory, turn, token });
          const network = networks[team.networkOf[agent]?.[0] as number] as Network;
          const { shape } = network;
          const weights = await downloadTree(network.tree, shape);
          // The context consists of the prompt, each earlier turn after its header, and the token's own turn up to the
          // token.
          const before = trajectory.turns
            .slice(0, turn)
            .flatMap((said) => [
              ...team.tokens.headers[said.role],
              ...said.tokens,
              ...(said.isTruncated ? [team.tokens.endOfTurn] : []),
            ]);
          const role = trajectory.turns[turn]?.role as 'reasoning';
          const own = [...team.tokens.headers[role], ...tokens.slice(0, token)];
          const ids = [...(trajectory.prompts[agent] ?? []), ...before, ...own];
          expect(look.tokens).toHaveLength(ids.length);
          const expected = rowAttentionReference(shape, weights, ids);
          expect([look.layers, look.heads]).toEqual([shape.numLayers, shape.numHeads]);
          expect(look.weights).toHaveLength(expected.length);
          look.weights.forEach((weight, i) => expect(weight).toBeCloseTo(expected[i] as number, 5));
          expect(look.turns.filter((of) => of === -1)).toHaveLength(trajectory.prompts[agent]?.length as number);
          expect(look.turns.slice(-own.length)).toEqual(own.map(() => turn));
        }
      }
    });
  }

  it('of a large network is read back only as shares, and leaves no tensors', async () => {
    const shape: ModelShape = {
      ...{
        vocabSize: 64,
        hiddenSize: 72,
        intermediateSize: 96,
        numLayers: 30,
        numHeads: 9,
        numKvHeads: 3,
        headSize: 8,
      },
      ...{ ropeTheta: 10_000, normEps: 1e-5, isTied: true, maxPositions: 128 },
    };
    const { team, trajectories } = await talked();
    const [said] = trajectories as [Trajectory];
    const prompt = Array.from({ length: 88 }, (_, i) => (i * 7) % 31);
    const [first] = said.turns as [Trajectory['turns'][number]];
    const prompts = said.prompts.map(() => prompt);
    const trajectory = { ...said, prompts, turns: [{ ...first, tokens: [5, 6, 7], logprobs: [0, 0, 0] }] };
    const weights = initialWeights(shape, 3);
    const tree = uploadTree(weights, shape, { isFrozen: true });
    const networks = [{ tree, shape }] as unknown as Network[];
    const asked = { team, networks, trajectory, turn: 0, token: 1 };
    await attentionOf(asked); // constants
    const { numTensors } = tf.memory();
    const read = vi.spyOn(tf.Tensor.prototype, 'data');
    const look = await attentionOf(asked);
    const sizes = read.mock.contexts.map((tensor) => (tensor as tf.Tensor).size);
    read.mockRestore();
    const count = look.tokens.length;
    expect(count).toBeGreaterThanOrEqual(90);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(30 * 9 * count);
    expect(tf.memory().numTensors).toBe(numTensors);
    const row = viewRows(trajectory, first.agent, team.tokens)[0]?.ids.slice(0, count) as number[];
    const expected = rowAttentionReference(shape, weights, row);
    look.weights.forEach((weight, i) => expect(Math.abs(weight - (expected[i] as number))).toBeLessThan(1e-5));
    disposeTree(tree);
  });

  it('is computed only for a token that was generated', async () => {
    const { team, networks, trajectories } = await talked();
    const [trajectory] = trajectories as [Trajectory];
    const beyond = attentionOf({ team, networks, trajectory, turn: 0, token: 99 });
    await expect(beyond).rejects.toThrow(
      'turn 1 of this dialogue has no token 100; choose one of the tokens of this turn',
    );
    await expect(attentionOf({ team, networks, trajectory, turn: 77, token: 0 })).rejects.toThrow('turn 78');
  });
});
