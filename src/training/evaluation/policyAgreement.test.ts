import { describe, expect, it } from 'vitest';
import { goOn } from '../../model/decoding/continuation.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Role } from '../../records/ids.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { startRun } from '../testing/microRun.ts';
import { onCpu } from '../testing/onCpu.ts';
import { agreementOf, exchanged, policyAgreement } from './policyAgreement.ts';

onCpu();

/** Trains a team for one iteration. The result includes the dialogues of this iteration. */
async function trained(settings: ConfigInput) {
  const { session, collected } = await startRun({ learning: { problemsPerIteration: 2, groupSize: 4 }, ...settings });
  await session.train(1);
  const { trainState } = session;
  return { trainState, trajectories: collected()[0] ?? [] };
}

/** The token that a policy chooses after a context, computed by decoding token by token. */
async function next(policy: ReturnType<typeof agentPolicies>[number], context: number[]) {
  const [said] = await goOn(policy, { context, count: 1, tokens: 1, endIds: [], temperature: 0, seed: 1 });
  return said?.ids[0];
}

describe('the agreement of policies', () => {
  it('is the share of places at which another agent chooses the same token', () => {
    // Agent 1 agrees with agent 0 at two of the three positions of agent 0. Agent 0 agrees with agent 1 at one of the
    // two positions of agent 1.
    expect(
      agreementOf([
        [
          [4, 5, 6],
          [4, 9, 6],
        ],
        [
          [7, 1],
          [7, 8],
        ],
      ]),
    ).toBe(3 / 5);
    // With three agents, each position is counted twice, once for each of the other agents.
    expect(
      agreementOf([
        [[4], [4], [5]],
        [[], [], []],
        [[], [], []],
      ]),
    ).toBe(1 / 2);
    expect(agreementOf([[[4, 5]]])).toBeUndefined();
    expect(
      agreementOf([
        [[], []],
        [[], []],
      ]),
    ).toBeUndefined();
  });

  it('exchanges headers both ways and nothing else', () => {
    const batch = { ids: Int32Array.from([3, 8, 9, 1, 7, 6, 2, 8]), length: 8, rows: 1 } as RowBatch;
    expect([...exchanged(batch, [8, 9], [7, 6]).ids]).toEqual([3, 7, 6, 1, 8, 9, 2, 8]);
    expect([...exchanged(batch, [8, 9], [8, 9]).ids]).toEqual([...batch.ids]);
    expect([...batch.ids]).toEqual([3, 8, 9, 1, 7, 6, 2, 8]);
  });

  it.each<[string, ConfigInput]>([
    ['a planner and a reasoner with a network each', { agents: { parameters: 'separate' } }],
    ['a planner and a reasoner who share one', {}],
    ['debaters with a network each', { agents: { protocol: 'debate', count: 2, parameters: 'separate' } }],
  ])('of %s is what the decoder says in each place', async (_, settings) => {
    const { trainState, trajectories } = await trained(settings);
    const { team } = trainState;
    const policies = agentPolicies(trainState);
    const some = trajectories.slice(0, 2);
    const same: number[] = [];
    for (const [i, role] of team.protocol.roles.entries()) {
      const batch = buildRows(some, [i], team.tokens);
      for (const [j, other] of team.protocol.roles.entries()) {
        if (j === i) continue;
        const read = exchanged(batch, team.tokens.headers[role as Role], team.tokens.headers[other as Role]);
        for (let at = 0; at < batch.ids.length; at++) {
          if (batch.actionMask[at] === 0) continue;
          const from = at - (at % batch.length);
          const own = await next(policies[i]!, [...batch.ids.subarray(from, at + 1)]);
          same.push(own === (await next(policies[j]!, [...read.ids.subarray(from, at + 1)])) ? 1 : 0);
        }
      }
    }
    expect(same.length).toBeGreaterThan(10);
    const share = same.reduce((sum, one) => sum + one, 0) / same.length;
    expect(await policyAgreement(trainState, some)).toBeCloseTo(share, 10);
  });

  it('is 1 where agents of one role share a network, and there is none without another agent or a common vocabulary', async () => {
    const shared = await trained({ agents: { protocol: 'debate', count: 2 } });
    expect(await policyAgreement(shared.trainState, shared.trajectories)).toBe(1);
    const none: ConfigInput[] = [
      { agents: { protocol: 'single' } },
      { agents: { parameters: 'heterogeneous', otherVocabulary: 'joined' } },
      { agents: { parameters: 'lora', adapterPer: 'turn' } },
    ];
    for (const settings of none) {
      const { trainState, trajectories } = await trained(settings);
      expect(await policyAgreement(trainState, trajectories), JSON.stringify(settings)).toBeUndefined();
    }
  });

  it('comes with evaluations', async () => {
    const { session, store } = await startRun({ evaluation: { problems: 8, every: 2 } });
    await session.train(4);
    const measured = store.iterations.map(({ metrics: { values } }) => values['charts/policy_agreement']);
    expect(measured.map((one) => one === undefined)).toEqual([true, false, true, false]);
    expect(measured.every((one) => one === undefined || (one >= 0 && one <= 1))).toBe(true);
  });
});
