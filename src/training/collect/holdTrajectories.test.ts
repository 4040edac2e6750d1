// Tests that dialogues are the same whether they are run in small batches or all in one batch.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { DecodeSession, Policy } from '../../records/policy.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { collectRollouts } from './collect.ts';
import { evaluateTeam } from '../evaluation/evaluate.ts';
import { agentPolicies } from './agentPolicies.ts';
import type { TrainState } from '../run/trainState.ts';
import { said } from '../testing/spoken.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';

onCpu();

/**
 * Limits each policy to sessions of at most `mostRows` rows, as if memory were full. The simultaneously open rows of
 * all policies are counted.
 */
function few(policies: readonly Policy[], mostRows: number) {
  const open = { rows: 0, most: 0 };
  const counted = policies.map((policy): Policy => ({
    ...policy,
    mostRows,
    open: (rows) => {
      open.rows += rows;
      open.most = Math.max(open.most, open.rows);
      const session = policy.open(rows);
      const dispose = () => {
        open.rows -= rows;
        session.dispose();
      };
      return {
        append: (chunks) => session.append(chunks),
        sample: (request) => session.sample(request),
        takeRows: (from) => session.takeRows(from),
        dispose,
      } satisfies DecodeSession;
    },
  }));
  return { policies: counted, open };
}

const teams: [string, ConfigInput][] = [
  ['plan and reason', {}],
  [
    'a debate that stops when agreed, some answers withheld',
    { agents: { protocol: 'debate', count: 3, maskPeers: 0.3, consensus: 0.6 } },
  ],
  ['two networks', { agents: { parameters: 'separate' } }],
  ['a network for each turn', { agents: { parameters: 'lora', adapterPer: 'turn' } }],
  [
    'trees of three candidates',
    {
      agents: { candidates: 3 },
      learning: { groupKey: 'problem+agent+turn' },
      reward: { over: 'dense', across: 'own' },
    },
  ],
];

describe.each(teams)('%s', (_, settings) => {
  let learning: TrainState;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const { session } = await startRun({ ...settings, evaluation: { problems: 37 } });
    learning = session.trainState;
    dispose = () => session.dispose();
    return dispose;
  });

  it.each([1, 7])('says the same tokens at %i rows at once', async (most) => {
    const whole = agentPolicies(learning);
    const { policies, open } = few(whole, most);
    const expected = await collectRollouts(learning.team, { policies: whole, iteration: 2 });
    const told: number[] = [];
    const onTurn = (soFar: readonly Trajectory[]) => Promise.resolve(void told.push(soFar.length));
    const found = await collectRollouts(learning.team, { policies, iteration: 2, onTurn });
    expect(said(found.trajectories)).toEqual(said(expected.trajectories));
    expect(found.rewards).toEqual(expected.rewards);
    expect(found.sampledTokens).toBe(expected.sampledTokens);
    const lanes = learning.team.config.agents.candidates;
    expect(open.most).toBeLessThanOrEqual(whole.length * Math.max(most, lanes));
    expect(Math.max(...told)).toBe(expected.trajectories.filter(({ branch }) => !branch).length);
  });

  it('is measured the same at 5 rows at once', async () => {
    const whole = agentPolicies(learning);
    const request = { iteration: 0, withMasked: true };
    const expected = await evaluateTeam(learning.team, { ...request, policies: whole });
    const { policies, open } = few(whole, 5);
    expect(await evaluateTeam(learning.team, { ...request, policies })).toEqual(expected);
    expect(open.most).toBeLessThanOrEqual(5 * whole.length);
  });
});
