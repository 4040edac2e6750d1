// Tests critics on real dialogues: the tokens on which the values of a joint critic depend, and the effect of updates.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { mostAgents } from '../../config/names.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { setsOf, type Trajectory } from '../../records/trajectory.ts';
import { turnContext, turnEnd, viewRow } from '../../rollout/view.ts';
import { collectRollouts } from '../collect/collect.ts';
import { spreadOf, unscaled } from '../maths/valueScale.ts';
import { criticValues, lookJointly, updateCritic, witnessOf, type Critic, type JointLook } from './critic.ts';
import { criticMemory, remembered } from './criticMemory.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { buildJointRows } from '../rows/rows.ts';
import { plainReturns, type Track } from '../rows/tracks.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';

onCpu();

const gate = openGate();
const teams: [string, NonNullable<ConfigInput['agents']>][] = [
  ['planner and reasoner', {}],
  ['pioneer and observer', { protocol: 'pioneerObserver' }],
  ['debate of three, with masks and feedback', { protocol: 'debate', count: 3, maskPeers: 0.3, feedback: true }],
  ['vote of four', { protocol: 'vote', count: 4 }],
  ['summary of three, in two rounds', { protocol: 'summary', count: 3, roundLimit: 2 }],
];

/** A critic with random weights in its head. The usual initial head of zeros would predict 0 for all states. */
function criticOf(team: Team): Network {
  const state = freshState(initialWeights(team.shape, 3), team.shape, true);
  state.critic[0]?.values.forEach((_, i, values) => (values[i] = Math.sin(i + 1)));
  return uploadNetwork(state, team.shape);
}

interface Talk {
  team: Team;
  critic: Network;
  trajectories: Trajectory[];
}
async function withTalk<T>(agents: ConfigInput['agents'], use: (talk: Talk) => Promise<T>): Promise<T> {
  const settings = { agents: { ...agents }, learning: { learner: 'mappo' } } as const;
  const team = assembleTeam(microConfig(settings));
  const [critic, policy] = [criticOf(team), criticOf(team)];
  const policies = team.networkOf.map(() => decodingPolicy(policy.tree, team.shape));
  try {
    const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
    return await use({ team, critic, trajectories });
  } finally {
    [critic, policy].forEach(disposeNetwork);
  }
}

/** The critic's value before a turn. */
const valueAt = ({ values, places }: JointLook, trajectory: number, turn: number) =>
  values[places[trajectory]?.[turn] as number];

/** All tokens on which the value before a turn may depend, in a list that is built by hand. */
function readBefore({ prompts, turns }: Trajectory, turn: number, { tokens, protocol }: Team): number[] {
  const sets = setsOf(turns);
  const at = sets.findIndex((set) => set.some(({ index }) => index === turn));
  const heard = sets.slice(0, at).flatMap((set) => {
    const headers = set.length > 1 ? set.flatMap(({ role }) => tokens.headers[role]) : [];
    return [...headers, ...set.flatMap((said) => turnContext(said, tokens))];
  });
  const own = (sets[at] ?? []).filter(({ index }) => index <= turn).flatMap(({ role }) => tokens.headers[role]);
  return [...(prompts[witnessOf({ protocol })] ?? []), ...heard, ...own];
}

describe.each(teams)('the value before a turn of a %s', (_, agents) => {
  it('is that of the transcript so far and of who speaks next, and of nothing else', async () => {
    await withTalk(agents, async ({ team, critic, trajectories }) => {
      const look = await lookJointly({ network: critic, scale: unscaled }, trajectories, { team, gate });
      for (const [i, trajectory] of trajectories.slice(0, 4).entries()) {
        expect(look.places[i]).toHaveLength(trajectory.turns.length);
        for (const { index } of trajectory.turns) {
          const ids = readBefore(trajectory, index, team);
          // The row ends before this turn, so that the critic cannot read any later token.
          const alone = buildJointRows([{ ...trajectory, prompts: [ids], turns: [] }], 0, team.tokens);
          const row = {
            ...alone,
            length: ids.length,
            ids: Int32Array.from(ids),
            targets: new Int32Array(ids.length),
            actionMask: new Float32Array(ids.length).fill(1),
          };
          const full = { ...row, turnIds: new Int32Array(ids.length), oldLogprobs: new Float32Array(ids.length) };
          const { values } = await oldFacts(full, { network: critic, reference: null, temperature: 1, gate });
          expect(valueAt(look, i, index)).toBeCloseTo(values.at(-1) as number, 4);
        }
      }
    });
  });

  it('does not change with what is said in the turn or at once with it, and does with what was said before', async () => {
    await withTalk(agents, async ({ team, critic, trajectories }) => {
      const trajectory = trajectories.find(({ turns }) => setsOf(turns).length > 1) ?? (trajectories[0] as Trajectory);
      const [first = [], second] = setsOf(trajectory.turns);
      const last = first.at(-1)?.index as number;
      const turns = trajectory.turns.map((turn) =>
        turn.index > last ? turn : { ...turn, tokens: turn.tokens.map((token) => (token === 7 ? 8 : 7)) },
      );
      const both = [trajectory, { ...trajectory, turns }];
      const look = await lookJointly({ network: critic, scale: unscaled }, both, { team, gate });
      for (const { index } of first) expect(valueAt(look, 1, index)).toBe(valueAt(look, 0, index));
      const next = second?.[0]?.index;
      if (next !== undefined) expect(valueAt(look, 1, next)).not.toBe(valueAt(look, 0, next));
    });
  });
});

describe('a joint row', () => {
  it('is the row of the planner, who hears all, up to the last header', async () => {
    await withTalk({}, async ({ team, trajectories }) => {
      const { ids, length } = buildJointRows(trajectories, 0, team.tokens);
      for (const [b, trajectory] of trajectories.entries()) {
        const last = trajectory.turns.at(-1);
        const planner = viewRow(trajectory, 0, team.tokens).ids;
        const shared = Math.min(planner.length, readBefore(trajectory, last?.index ?? 0, team).length);
        expect([...ids.subarray(b * length, b * length + shared)]).toEqual(planner.slice(0, shared));
      }
    });
  });

  it('opens with the prompt of somebody who sees the rule, where there is anybody', () => {
    const witness = (agents: ConfigInput['agents']) => witnessOf(assembleTeam(microConfig({ agents: { ...agents } })));
    expect(witness({})).toBe(0);
    expect(witness({ protocol: 'debate', count: 3, informed: 'last' })).toBe(2);
    expect(witness({ protocol: 'debate', count: 3, informed: 'nobody' })).toBe(0);
  });

  it('holds what a cut turn was closed with and what was told of an answer', async () => {
    await withTalk({ protocol: 'debate', count: 2, feedback: true }, async ({ team, trajectories }) => {
      const { turns } = trajectories[0] as Trajectory;
      const end = turnEnd(turns[0] as Trajectory['turns'][number], team.tokens);
      expect(end.length).toBeGreaterThan(0);
      const [row] = [buildJointRows(trajectories.slice(0, 1), 0, team.tokens)];
      expect([...row.ids].join(' ')).toContain(end.join(' '));
    });
  });
});

/** One track for each dialogue, in which each turn is a step and has this reward. */
const tracksOf = ({ places }: JointLook, rewards: (trajectory: number, turn: number) => number) =>
  places.map((own, i) => ({
    places: [...own].map((at) => [at]),
    rewards: [...own.keys()].map((turn) => rewards(i, turn)),
  }));
/** A critic with its own memory. */
const withMemory = (network: Network, size: number): Critic => ({
  network,
  memory: criticMemory(size),
  scale: unscaled,
});

describe('updateCritic', () => {
  it('brings values to the returns, by steps of its own rate, and leaves no tensors behind', async () => {
    await withTalk({}, async ({ team, critic: network, trajectories }) => {
      const settings = (criticRate: number): Team => ({
        ...team,
        config: { ...team.config, optimiser: { ...team.config.optimiser, criticRate } },
      });
      const critic = withMemory(network, trajectories.length);
      const { batch, ...look } = await lookJointly(critic, trajectories, { team, gate });
      const tracks = tracksOf({ batch, ...look }, (i, turn) => (i % 2) - turn / 4);
      critic.memory.add(tracks.map((track) => remembered(batch, track)));
      const errorOf = async () => {
        const values = await criticValues(critic, batch, gate);
        const errors = tracks.flatMap((track) => {
          const returns = plainReturns(track, { gamma: 1, lambda: 1 });
          return track.places.map(([at = 0], step) => ((values[at] as number) - (returns[step] as number)) ** 2);
        });
        return errors.reduce((a, b) => a + b, 0) / errors.length;
      };
      const step = (criticRate: number, iteration: number) =>
        updateCritic(critic, { team: settings(criticRate), gate, iteration, n: 0 });
      const [first] = await step(1e-6, 0);
      // The other terms of the loss have weight 0, so that only the error of the values changes the critic.
      expect(first?.['losses/policy_loss']).toBe(0);
      const before = await errorOf();
      await step(1e-6, 1);
      expect(Math.abs((await errorOf()) - before)).toBeLessThan(0.05 * before);
      await step(0, 2);
      const tensors = tf.memory().numTensors;
      for (let iteration = 3; iteration < 13; iteration++) await step(0, iteration);
      expect(tf.memory().numTensors).toBe(tensors);
      expect(await errorOf()).toBeLessThan(0.5 * before);
      expect((await downloadNetwork(network)).updates).toBe(13 * team.config.learning.criticSteps);
    });
  });

  it('goes by half the squared distance of the tracks drawn, in units of the reward, however far the values are off', async () => {
    await withTalk({ protocol: 'debate', count: 3 }, async ({ team, critic: network, trajectories }) => {
      const learning = { ...team.config.learning, criticSteps: 1, criticBatch: 5, lambdaTurn: 1 };
      const once = { ...team, config: { ...team.config, learning } };
      const critic = withMemory(network, 100);
      const look = await lookJointly(critic, trajectories, { team, gate });
      const tracks = tracksOf(look, (i, turn) => (turn % 2 === 0 ? 1 : -3) * (1 + i));
      critic.memory.add(tracks.map((track) => remembered(look.batch, track)));
      // Repeats the draws of the update to find out which dialogues were used.
      const draws = new Draws(once.config.run.seed, streams.criticMemory, 4 * mostAgents);
      const drawn = Array.from({ length: 5 }, () => tracks[draws.below(tracks.length)] as Track);
      const [first, second] = await updateCritic(critic, { team: once, gate, iteration: 4, n: 0 });
      // The expected loss compares the values before the step, converted with the critic's scale, with the returns of
      // the drawn tracks.
      const { centre, deviation } = spreadOf(critic.scale);
      const squares = drawn.flatMap((track) => {
        const returns = plainReturns(track, { gamma: 1, lambda: 1 });
        return track.places.map(
          ([at = 0], step) => (centre + deviation * (look.values[at] as number) - (returns[step] as number)) ** 2,
        );
      });
      const expected = squares.reduce((a, b) => a + b, 0) / squares.length / 2;
      expect((first?.['losses/value_loss'] as number) / expected).toBeCloseTo(1, 4);
      expect(second).toBeUndefined();
    });
  });

  it('computes the targets of remembered rows again, with the current values', async () => {
    await withTalk({}, async ({ team, critic: network, trajectories }) => {
      // One step is taken with a tiny learning rate and λ = 0, so that the target of every turn except the last is the
      // value before the next turn.
      const { learning, optimiser } = team.config;
      const config = {
        ...team.config,
        learning: { ...learning, criticSteps: 1, criticBatch: 64, lambdaTurn: 0 },
        optimiser: { ...optimiser, criticRate: 1e-9 },
      };
      const critic = withMemory(network, 100);
      const look = await lookJointly(critic, trajectories, { team, gate });
      critic.memory.add(tracksOf(look, () => 0).map((track) => remembered(look.batch, track)));
      const lossAfter = async (bias: number) => {
        network.head?.weight.assign(tf.zerosLike(network.head.weight));
        network.head?.bias.assign(tf.tensor1d([bias]));
        const [step] = await updateCritic(critic, { team: { ...team, config }, gate, iteration: 1, n: 0 });
        return step?.['losses/value_loss'] as number;
      };
      // All returns are 0, so the scale is 0.1 and a value is 0.1 times the network's output. Only the last turn of a
      // track has an error.
      const [one, two] = [await lossAfter(1), await lossAfter(2)];
      expect(one).toBeLessThan(0.005);
      expect(two / one).toBeCloseTo(4, 3);
    });
  });

  it('takes no step while nothing is remembered', async () => {
    await withTalk({}, async ({ team, critic: network }) => {
      expect(await updateCritic(withMemory(network, 8), { team, gate, iteration: 0, n: 0 })).toEqual([]);
      expect(network.updates).toBe(0);
    });
  });
});
