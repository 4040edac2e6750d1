// Tests updates of agents one after another, with real dialogues of two and of three agents.
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../../base/errors.ts';
import type { ConfigInput } from '../../../config/schema.ts';
import { decodingPolicy } from '../../../model/decoding/decoder.ts';
import { initialWeights } from '../../../model/network/parameters.ts';
import type { Trajectory } from '../../../records/trajectory.ts';
import { collectRollouts } from '../../../training/collect/collect.ts';
import { disposeNetwork, freshState, uploadNetwork, type Network } from '../../../training/team/network.ts';
import { rowLogprobs } from '../../../training/rows/oldFacts.ts';
import { buildRows, selectRows, type RowBatch } from '../../../training/rows/rows.ts';
import { SequentialUpdates } from './sequentialUpdates.ts';
import { assembleTeam, type Team } from '../../../training/team/team.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { microConfig, openGate, startRun } from '../../../training/testing/microRun.ts';

onCpu();

const separate = { parameters: 'separate' } as const;
const options = { temperature: 1, gate: openGate() };

/** The rows from which an agent learns. */
const rowsOf = (batch: RowBatch, agent: number) =>
  selectRows(
    batch,
    [...batch.agentIds.keys()].filter((b) => batch.agentIds[b] === agent),
    {},
  ).batch;

interface Scene {
  team: Team;
  trajectories: Trajectory[];
  batch: RowBatch;
  advantages: Float32Array;
  /** A network that differs from the one that generated the messages. */
  changed: Network;
  spoke: Network;
}
async function withScene<T>(agents: ConfigInput['agents'], use: (scene: Scene) => Promise<T>): Promise<T> {
  const settings = { agents: { ...separate, ...agents }, learning: { learner: 'happo' } } as const;
  const team = assembleTeam(microConfig(settings));
  const networkOf = (seed: number) =>
    uploadNetwork(freshState(initialWeights(team.shape, seed), team.shape, false), team.shape);
  const [spoke, changed] = [networkOf(1), networkOf(2)];
  const policies = team.networkOf.map(() => decodingPolicy(spoke.tree, team.shape));
  try {
    const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
    const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
    // All tokens of a turn have the same advantage: ten times the index of the trajectory, plus the index of the turn,
    // plus one.
    const advantages = batch.actionMask.map((is, at) =>
      is === 0
        ? 0
        : 10 * (batch.trajectoryIds[Math.floor(at / batch.length)] as number) + (batch.turnIds[at] as number) + 1,
    );
    return await use({ team, trajectories, batch, advantages, changed, spoke });
  } finally {
    [spoke, changed].forEach(disposeNetwork);
  }
}

it('the order of updates depends only on seed and iteration, and contains every agent once', async () => {
  await withScene({ protocol: 'debate', count: 3 }, ({ team, ...given }) => {
    const orders = Array.from({ length: 40 }, (_, i) => new SequentialUpdates(team, i, given).order);
    expect(new Set(orders.map((order) => order.join())).size).toBe(6);
    for (const order of orders) expect(order.toSorted()).toEqual([0, 1, 2]);
    expect(new SequentialUpdates(team, 7, given).order).toEqual(orders[7]);
    return Promise.resolve();
  });
});

describe.each([{}, { protocol: 'debate', count: 3 }] as const)('the weights of %o', (agents) => {
  it('are the joint advantages for the first agent, and 0 at the tokens of others', async () => {
    await withScene(agents, ({ team, ...given }) => {
      const sequence = new SequentialUpdates(team, 0, given);
      const [first = 0] = sequence.order;
      const { batch, advantages } = given;
      const expected = advantages.map((a, at) => (batch.agentIds[Math.floor(at / batch.length)] === first ? a : 0));
      expect(sequence.weightsOf(first)).toEqual(expected);
      return Promise.resolve();
    });
  });

  it('stay the same after an update that changed nothing', async () => {
    await withScene(agents, async ({ team, spoke, ...given }) => {
      const sequence = new SequentialUpdates(team, 0, given);
      const [first = 0, second = 1] = sequence.order;
      await sequence.note(first, spoke, { rows: rowsOf(given.batch, first), ...options });
      const weights = sequence.weightsOf(second);
      const { batch, advantages } = given;
      for (const [at, weight] of weights.entries()) {
        const isOwn = batch.agentIds[Math.floor(at / batch.length)] === second;
        expect(Math.abs(weight - (isOwn ? (advantages[at] as number) : 0))).toBeLessThan(1e-3 * (1 + weight));
      }
    });
  });

  it('contain for later agents the geometric ratio of the changed turns of their round, within e^±3', async () => {
    await withScene(agents, async ({ team, changed, ...given }) => {
      const { batch, advantages, trajectories } = given;
      const sequence = new SequentialUpdates(team, 0, given);
      const last = sequence.order.at(-1) as number;
      for (const agent of sequence.order.slice(0, -1))
        await sequence.note(agent, changed, { rows: rowsOf(batch, agent), ...options });
      const weights = sequence.weightsOf(last);
      // The weights are computed here in another way: the mean log-ratio of each turn, summed over the other agents'
      // turns in the same round.
      const logprobs = await rowLogprobs(batch, { network: changed, ...options });
      const sums = new Map<string, { total: number; tokens: number }>();
      batch.actionMask.forEach((is, at) => {
        if (is === 0) return;
        const key = `${batch.trajectoryIds[Math.floor(at / batch.length)]}/${batch.turnIds[at]}`;
        const { total, tokens } = sums.get(key) ?? { total: 0, tokens: 0 };
        sums.set(key, {
          total: total + (logprobs[at] as number) - (batch.oldLogprobs[at] as number),
          tokens: tokens + 1,
        });
      });
      const seen = new Set<number>();
      batch.actionMask.forEach((is, at) => {
        const row = Math.floor(at / batch.length);
        if (is === 0 || batch.agentIds[row] !== last) return;
        const index = batch.trajectoryIds[row] as number;
        const { turns } = trajectories[index] as Trajectory;
        const { round } = turns[batch.turnIds[at] as number] as Trajectory['turns'][number];
        const logratio = turns
          .filter((turn) => turn.round === round && (turn.agent as number) !== last)
          .map(({ index: turn }) => sums.get(`${index}/${turn}`) as { total: number; tokens: number })
          .reduce((sum, { total, tokens }) => sum + total / tokens, 0);
        const expected = (advantages[at] as number) * Math.exp(Math.max(-3, Math.min(3, logratio)));
        expect(Math.abs((weights[at] as number) / expected - 1)).toBeLessThan(1e-3);
        seen.add(Math.sign(logratio));
      });
      expect(seen.has(1) || seen.has(-1)).toBe(true);
    });
  });

  it('are refused for an agent that was already updated', async () => {
    await withScene(agents, async ({ team, spoke, ...given }) => {
      const sequence = new SequentialUpdates(team, 0, given);
      await sequence.note(0, spoke, { rows: rowsOf(given.batch, 0), ...options });
      expect(() => sequence.weightsOf(0)).toThrow(ShapeError);
    });
  });
});

it('happo updates the first agent like MAPPO and the second after it, in either order', async () => {
  const after = async (learner: 'mappo' | 'happo', seed: number) => {
    const run = await startRun({
      agents: separate,
      learning: { learner, normAdv: true },
      reward: { over: 'dense', length: 0.5 },
      run: { seed },
    });
    await run.session.train(1);
    const checkpoint = await run.session.checkpoint();
    const { team } = run.session.trainState;
    await run.session.dispose();
    const none = { trajectories: [], batch: buildRows([], [0, 1], team.tokens), advantages: new Float32Array(0) };
    return { ...checkpoint, order: new SequentialUpdates(team, 0, none).order };
  };
  const firsts = new Set<number>();
  for (const seed of [1, 2, 3, 4]) {
    const [joint, sequential] = [await after('mappo', seed), await after('happo', seed)];
    const [first, second] = sequential.order as [number, number];
    expect(sequential.networks[first]).toEqual(joint.networks[first]);
    expect(sequential.networks[second]).not.toEqual(joint.networks[second]);
    expect(sequential.critics).toEqual(joint.critics);
    firsts.add(first);
  }
  expect(firsts.size).toBe(2);
});
