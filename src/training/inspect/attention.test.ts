// The attention of every layer and head, against a network of plain loops that shares nothing with it.
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { downloadTree } from '../../model/network/parameters.ts';
import { rowAttentionReference } from '../reference/attention.ts';
import type { Network } from '../team/network.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';
import { attentionOf } from './attention.ts';

onCpu();

async function talked(settings: ConfigInput = {}) {
  const run = await startRun({ learning: { problemsPerIteration: 2, groupSize: 2 }, ...settings });
  await run.session.train(1);
  const [trajectories] = run.collected() as [Trajectory[]];
  return { ...run.session.trainState, trajectories };
}

describe('what a network attended to', () => {
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
          // What it had read: its prompt, then each turn after its header, the token's own turn up to the token.
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

  it('is asked only for a token that was said', async () => {
    const { team, networks, trajectories } = await talked();
    const [trajectory] = trajectories as [Trajectory];
    const beyond = attentionOf({ team, networks, trajectory, turn: 0, token: 99 });
    await expect(beyond).rejects.toThrow('turn 1 of this dialogue has no token 100 of its own');
    await expect(attentionOf({ team, networks, trajectory, turn: 77, token: 0 })).rejects.toThrow('turn 78');
  });
});
