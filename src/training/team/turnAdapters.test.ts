// Tests runs in which every turn of a role has its own adapter: which tokens are used to score and train an adapter,
// which networks change, and that all other code uses the adapter with which the turn was sampled.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint, NetworkState } from '../../records/stored/checkpoint.ts';
import { ownTurns } from '../../records/branch.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { viewRow } from '../../rollout/view.ts';
import { collectRollouts } from '../collect/collect.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { networksToUpdate } from '../run/policyUpdates.ts';
import { rowLogprobs } from '../rows/oldFacts.ts';
import { buildRows, layRows, selectRows } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import { assembleTeam, teamAt } from './team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { heldTensors, microConfig, openGate, openRun, startRun } from '../testing/microRun.ts';
import { expectResumed } from '../testing/resumedRun.ts';

onCpu();

const byTurn = { parameters: 'lora', adapterPer: 'turn', loraRank: 4 } as const;
const withTurns = ({ agents, learning, ...rest }: ConfigInput): ConfigInput => ({
  ...rest,
  agents: { ...byTurn, ...agents },
  learning: { problemsPerIteration: 2, ...learning },
});

/** Every turn of these dialogues, with the network that sampled the turn in the given iteration (from 0). */
function spoken(checkpoint: Checkpoint, trajectories: readonly Trajectory[], iteration: number) {
  const { networkOf } = teamAt(assembleTeam(checkpoint.config), iteration);
  return trajectories.flatMap((trajectory, index) =>
    ownTurns(trajectory).map((turn) => ({ n: networkOf[turn.agent]?.[turn.round] as number, turn, trajectory, index })),
  );
}

const talks: [string, ConfigInput][] = [
  ['plan and reason', {}],
  ['a debate in which all speak at once', { agents: { protocol: 'debate', count: 3, feedback: true, maskPeers: 0.3 } }],
  ['a summary over two rounds', { agents: { protocol: 'summary', count: 3, roundLimit: 2 } }],
  [
    'trees',
    {
      agents: { candidates: 2 },
      learning: { groupKey: 'problem+agent+turn' },
      reward: { across: 'own', over: 'dense' },
    },
  ],
  ['exchanged roles', { agents: { swapEvery: 1 } }],
];

describe.each(talks)('the rollouts of %s', (_, settings) => {
  it('have the log-probabilities that the update begins with: those of the turn’s own adapter on its whole history', async () => {
    const run = await startRun(withTurns(settings));
    await run.session.train(3);
    const { trainState: learning } = run.session;
    const team = teamAt(learning.team, 3);
    const policies = agentPolicies({ ...learning, team });
    const { trajectories } = await collectRollouts({ ...team }, { policies, iteration: 3 });
    const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
    const gate = openGate();
    const said = spoken(await run.session.checkpoint(), trajectories, 3);
    expect(new Set(said.map(({ n }) => n)).size).toBe(learning.networks.length);
    let others = 0;
    for (const [n, network] of learning.networks.entries()) {
      // The batch that the update receives.
      const { batch: masked, own } = networkRows(n, team, { batch, trajectories });
      const cut = selectRows(masked, own, {}).batch;
      const now = await rowLogprobs(cut, { network, temperature: 1, gate });
      const far = now.map((p, at) => (cut.actionMask[at] ? Math.abs(p - (cut.oldLogprobs[at] as number)) : 0));
      expect(Math.max(...far), `network ${n}`).toBeLessThan(1e-4);
      // The same batch, built by hand from dialogues that are cut after the turn.
      const mine = said.filter((one) => one.n === n);
      const views = mine.map(({ turn, trajectory, index }) => {
        const { length } = trajectory.turns.filter((other) => (other.set ?? other.index) < (turn.set ?? turn.index));
        const until = { ...trajectory, turns: [...trajectory.turns.slice(0, length), turn] };
        const view = viewRow(until, turn.agent, team.tokens);
        const isAction = view.turnIds.map((id) => id === turn.index);
        return { index, agent: turn.agent as number, view: { ...view, isAction } };
      });
      const byHand = layRows(views);
      const tokens = mine.flatMap(({ turn }) => turn.tokens);
      expect(cut.actionMask.filter(Boolean)).toHaveLength(tokens.length);
      expect([...byHand.targets].filter((__, at) => byHand.actionMask[at]).toSorted()).toEqual(
        [...cut.targets].filter((__, at) => cut.actionMask[at]).toSorted(),
      );
      const logprobs = await rowLogprobs(byHand, { network, temperature: 1, gate });
      const distances = logprobs.map((p, at) =>
        byHand.actionMask[at] ? Math.abs(p - (byHand.oldLogprobs[at] as number)) : 0,
      );
      expect(Math.max(...distances), `network ${n}, by hand`).toBeLessThan(1e-4);
      // The probability of the token would be different with another adapter.
      const other = learning.networks[(n + team.networkOf.length) % learning.networks.length];
      if (!other) continue;
      const wrong = await rowLogprobs(cut, { network: other, temperature: 1, gate });
      others = Math.max(others, ...wrong.map((p, at) => (cut.actionMask[at] ? Math.abs(p - (now[at] as number)) : 0)));
    }
    expect(others).toBeGreaterThan(1e-3);
  });
});

it('the ratio of the first step is 1 and the step has no distance to what sampled', async () => {
  const learning = {
    updateEpochs: 1,
    numMinibatches: 1,
    learner: 'ppo',
    ratioLevel: 'token',
    aggregation: 'token',
    clipLow: 1e-4,
    clipHigh: 1e-4,
  } as const;
  const run = await startRun(withTurns({ learning }));
  await run.session.train(3);
  for (const { metrics } of run.store.iterations) {
    expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-8);
    expect(metrics.values['losses/clipfrac']).toBe(0);
  }
  const moved = run.store.iterations
    .at(-1)
    ?.shown?.rollouts.flatMap(({ turns }) => turns.flatMap((turn) => turn.tokenRatio));
  expect(Math.max(...(moved ?? []).map((ratio) => Math.abs(ratio - 1)))).toBeGreaterThan(1e-4);
});

const runs: [string, ConfigInput][] = [
  ['grpo', {}],
  [
    'rloo at the level of trajectories',
    { learning: { learner: 'rloo', ratioLevel: 'trajectory', aggregation: 'trajectory' } },
  ],
  ['ppo by turn with KL in the loss', { learning: { learner: 'ppo', gaeLevel: 'turn' }, kl: { place: 'loss' } }],
  ['ippo', { learning: { learner: 'ippo' }, reward: { across: 'own' } }],
  ['mappo', { learning: { learner: 'mappo' }, reward: { over: 'dense' } }],
  ['happo with an exchange of roles', { agents: { swapEvery: 1 }, learning: { learner: 'happo' } }],
  ['cory with KL in the reward', { agents: { swapEvery: 1 }, learning: { learner: 'cory' }, kl: { place: 'reward' } }],
  ['qmix', { learning: { learner: 'qmix', mixingBatch: 8 } }],
  ['vdn', { learning: { learner: 'vdn', mixingBatch: 8 } }],
  ['dpo', { learning: { learner: 'dpo', groupSize: 6 } }],
  [
    'a reference that is renewed, and pay for influence',
    { kl: { place: 'loss', refreshEvery: 1 }, reward: { causal: 0.2, over: 'dense' } },
  ],
  [
    'trees',
    {
      agents: { candidates: 2 },
      learning: { groupKey: 'problem+agent+turn' },
      reward: { across: 'own', over: 'dense' },
    },
  ],
  ['a debate', { agents: { protocol: 'debate', count: 2, roundLimit: 2 } }],
];

describe.each(runs)('a run by turns with %s', (_, settings) => {
  it('moves the adapters of turns that were said and nothing else, leaves no tensors, and goes on from a checkpoint', async () => {
    const run = await startRun({ ...withTurns(settings), evaluation: { every: 9 } });
    const before = await run.session.checkpoint();
    await run.session.train(1);
    const tensors = heldTensors(run);
    await run.session.train(1);
    const after = await run.session.checkpoint();
    // After the first renewal, each adapter has its own reference.
    expect(heldTensors(run)).toBe(tensors);
    const { networkOf } = assembleTeam(before.config);
    expect(after.networks).toHaveLength(networkOf.flat().length);
    const said = run.collected().flatMap((trajectories, i) => spoken(before, trajectories, i));
    const isSaid = after.networks.map((__, n) => said.some((one) => one.n === n));
    after.networks.forEach((network, n) => {
      if (!isSaid[n] || network.updates === 0) expect(network).toEqual(before.networks[n]);
      else
        network.weights.forEach(({ name, values }, i) =>
          expect(values, `${n} ${name}`).not.toEqual(before.networks[n]?.weights[i]?.values),
        );
    });
    expect(after.networks.filter(({ updates }) => updates > 0).length).toBeGreaterThan(2);
    expect(after.base).toEqual(before.base);
    expect(run.store.iterations.flatMap(({ metrics }) => Object.values(metrics.values)).every(Number.isFinite)).toBe(
      true,
    );
    await expectResumed(run);
  });
});

describe('an adapter of one turn', () => {
  /** Trains for this many iterations. Returns for each network whether its weights, moments or step counts changed. */
  async function moved(settings: ConfigInput, iterations: number) {
    const run = await startRun(withTurns(settings));
    const before = await run.session.checkpoint();
    await run.session.train(iterations);
    const after = await run.session.checkpoint();
    const trajectories = run.collected().flat();
    await run.session.dispose();
    return {
      before,
      after,
      trajectories,
      moved: after.networks.map((network, n) => !isDeepStrictEqual(network, before.networks[n])),
    };
  }

  it('stays bit for bit as it was where its turn never came', async () => {
    // A dialogue ends at the first truncated turn. Most turns of untrained agents are truncated, so most dialogues end
    // early, and no dialogue reaches the last of the eight rounds.
    const early = await moved(
      { agents: { roundLimit: 8, stopWhenTruncated: true, metaWindow: 30, reasonWindow: 8 } },
      2,
    );
    const rounds = new Set(spoken(early.before, early.trajectories, 0).map(({ n }) => n));
    const silent = early.moved.flatMap((_, n) => (rounds.has(n) ? [] : [n]));
    expect(silent.length).toBeGreaterThan(4);
    expect(rounds.size).toBeGreaterThan(1);
    for (const n of silent) expect(early.moved[n], `network ${n}`).toBe(false);
    expect(early.moved[0]).toBe(true);
  });

  it('of a frozen agent stays as it was, whatever its turn', async () => {
    const { moved: found } = await moved({ learning: { frozen: [1], learner: 'ppo' } }, 1);
    expect(found).toEqual([true, false, true, false, true, false]);
  });

  it('learns with the others of its agent where agents alternate', async () => {
    const learning = { switchEvery: 1 } as const;
    expect((await moved({ learning }, 1)).moved).toEqual([true, false, true, false, true, false]);
    const team = assembleTeam(microConfig({ agents: byTurn, learning }));
    expect([0, 1, 2].map((iteration) => networksToUpdate(team, iteration))).toEqual([
      [0, 2, 4],
      [1, 3, 5],
      [0, 2, 4],
    ]);
  });

  it('learns turn by turn where turns alternate, the first of everybody first', async () => {
    const learning = { switchEvery: 1, switchOver: 'turn' } as const;
    expect((await moved({ learning }, 1)).moved).toEqual([true, true, false, false, false, false]);
    const team = assembleTeam(microConfig({ agents: byTurn, learning }));
    expect([0, 1, 2, 3].map((iteration) => networksToUpdate(team, iteration))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
      [0, 1],
    ]);
    const half = assembleTeam(microConfig({ agents: byTurn, learning: { ...learning, frozen: [0] } }));
    expect([0, 1, 2].map((iteration) => networksToUpdate(half, iteration))).toEqual([[1], [3], [5]]);
  });

  it('changes nothing of what is said before its turn, in training as where the team is measured', async () => {
    const run = await startRun(withTurns({}));
    await run.session.train(1);
    const checkpoint = await run.session.checkpoint();
    await run.session.dispose();
    const changed = structuredClone(checkpoint);
    const last = changed.networks[4] as NetworkState; // the adapter for the plan of the third round
    for (const { values } of last.weights) values.forEach((x, at) => (values[at] = 3 * x + 0.4));
    const [ours, theirs] = [openRun(checkpoint), openRun(changed)];
    for (const { session } of [ours, theirs]) await session.train(1);
    const turns = (of: typeof ours) => (of.collected()[0] ?? []).map((trajectory) => trajectory.turns);
    const upTo = (all: Trajectory['turns'][]) =>
      all.map((ofOne) => ofOne.filter(({ round }) => round < 2).map(({ tokens, logprobs }) => ({ tokens, logprobs })));
    expect(upTo(turns(ours))).toEqual(upTo(turns(theirs)));
    const third = (all: Trajectory['turns'][]) =>
      all.flatMap((ofOne) => ofOne.filter(({ round, agent }) => round === 2 && agent === 0));
    expect(third(turns(ours)).map(({ logprobs }) => logprobs)).not.toEqual(
      third(turns(theirs)).map(({ logprobs }) => logprobs),
    );
    for (const { session } of [ours, theirs]) await session.dispose();
  });
});

it('where everybody speaks once a turn is a role, bit for bit', async () => {
  const after = async (adapterPer: 'role' | 'turn') => {
    const agents = { ...byTurn, adapterPer, protocol: 'debate', count: 2, roundLimit: 1 } as const;
    const run = await startRun({ agents, learning: { learner: 'ppo', problemsPerIteration: 2 } });
    await run.session.train(2);
    const { networks } = await run.session.checkpoint();
    await run.session.dispose();
    return { networks, collected: run.collected() };
  };
  expect(await after('turn')).toEqual(await after('role'));
});

it('is inspected by the adapter that spoke: before the update with its numbers, afterwards with what it has become', async () => {
  const run = await startRun(withTurns({ learning: { learner: 'ppo', ratioLevel: 'token', aggregation: 'token' } }));
  await run.session.train(2);
  const shown = run.store.iterations.at(-1)?.shown;
  const { trainState: learning } = run.session;
  const { networkOf } = learning.team;
  let tokens = 0;
  for (const { trajectory, turns } of shown?.rollouts ?? []) {
    for (const [t, turn] of turns.entries()) {
      const said = trajectory.turns[t] as Trajectory['turns'][number];
      const network = learning.networks[
        networkOf[said.agent]?.[said.round] as number
      ] as (typeof learning.networks)[number];
      const until = { ...trajectory, turns: trajectory.turns.slice(0, t + 1) };
      const row = layRows([{ index: 0, agent: said.agent, view: viewRow(until, said.agent, learning.team.tokens) }]);
      const logprobs = await rowLogprobs(row, { network, temperature: 1, gate: openGate() });
      const own = [...logprobs].filter((_, at) => row.turnIds[at] === said.index);
      expect(turn.p).toHaveLength(said.tokens.length);
      own.forEach((logprob, i) => {
        expect(Math.log(turn.p[i] as number)).toBeCloseTo(logprob, 4);
        expect(Math.log(turn.pBefore[i] as number)).toBeCloseTo(said.logprobs[i] as number, 5);
        tokens++;
      });
    }
  }
  expect(tokens).toBeGreaterThan(20);
});
