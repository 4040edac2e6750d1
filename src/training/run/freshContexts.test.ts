// Tests runs whose agents have a fresh context for each turn, and therefore one row for each turn, in a world that
// replies to messages. With every learner, the first ratios must be 1, only the networks that should learn may change,
// and no tensors may be leaked.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { protocolOf } from '../../records/protocol.ts';
import type { Turn } from '../../records/trajectory.ts';
import { turnContext, viewRows } from '../../rollout/view.ts';
import { readingWorld } from '../../tasks/testing/readingWorld.ts';
import { heardRows, measureInfluence } from '../collect/influencePass.ts';
import { minePreferences } from '../imitation/minePreferences.ts';
import { downloadNetwork, type Network } from '../team/network.ts';
import { Gate } from '../team/gate.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig } from '../testing/microRun.ts';
import { buildRows } from '../rows/rows.ts';
import { updateNetwork } from '../update/update.ts';
import { evaluateTeam } from '../evaluation/evaluate.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { runIteration } from './iteration.ts';
import { disposeTrainState, restoreTrainState, type TrainState } from './trainState.ts';

onCpu();

const separate = { parameters: 'separate' } as const;
const pair = { ...separate, protocol: 'pioneerObserver' } as const;
const mixing = { teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 8, replaySize: 40 } as const;
const dense = { across: 'own', over: 'dense' } as const;
const byTurn = { groupKey: 'problem+agent+turn', ratioLevel: 'turn', aggregation: 'turn' } as const;
const byTrajectory = { ratioLevel: 'trajectory', aggregation: 'trajectory' } as const;

const runs: [string, ConfigInput][] = [
  ['grpo', {}],
  ['grpo, a ratio a trajectory', { learning: byTrajectory }],
  ['grpo, a constant divisor', { learning: { ratioLevel: 'token', aggregation: 'constant' } }],
  ['grpo on trees', { agents: { candidates: 2 }, learning: byTurn, reward: dense }],
  ['grpo, paid for causal influence', { reward: { causal: 0.5, over: 'dense' } }],
  ['grpo with an adapter a turn', { agents: { parameters: 'lora', adapterPer: 'turn' } }],
  ['grpo, steps apart from outcomes', { learning: { outcomeShare: 0.5 }, reward: { length: 1 } }],
  ['rloo', { learning: { learner: 'rloo' } }],
  ['rloo, steps apart from outcomes', { learning: { learner: 'rloo', outcomeShare: 0 }, reward: { length: 1 } }],
  ['reinforcePlusPlus', { learning: { learner: 'reinforcePlusPlus' } }],
  ['ppo', { learning: { learner: 'ppo' } }],
  ['ppo with a critic of its own', { learning: { learner: 'ppo', critic: 'network' } }],
  ['ppo by turns', { learning: { learner: 'ppo', gaeLevel: 'turn' } }],
  ['ippo', { agents: separate, learning: { learner: 'ippo' }, reward: dense }],
  [
    'ippo by turns with critics of their own',
    { agents: separate, learning: { learner: 'ippo', critic: 'network', gaeLevel: 'turn' }, reward: dense },
  ],
  ['mappo', { learning: { learner: 'mappo' }, reward: { over: 'dense' } }],
  ['happo', { agents: separate, learning: { learner: 'happo' }, reward: { over: 'dense' } }],
  ['cory', { agents: { ...pair, swapEvery: 2 }, learning: { learner: 'cory' }, kl: { place: 'reward' } }],
  ['vdn', { learning: { learner: 'vdn', ...mixing } }],
  ['qmix', { learning: { learner: 'qmix', ...mixing } }],
  ['dpo', { learning: { learner: 'dpo' } }],
  ['sft on demonstrations', { learning: { learner: 'sft', imitate: 'demonstrations' } }],
  ['a trained verifier', { agents: pair, verifier: { isTrained: true } }],
];

/** The training state of a run with the world of this test and with fresh contexts. */
async function learningOf(settings: ConfigInput): Promise<TrainState> {
  const once = { updateEpochs: 1, numMinibatches: 1, problemsPerIteration: 4, groupSize: 4 };
  const config = microConfig({ ...settings, learning: { ...once, ...settings.learning } });
  const own = restoreTrainState(await microCheckpoint(config), new Gate());
  const named = protocolOf(config.agents, readingWorld);
  const protocol = { ...named, context: 'fresh', isOneRound: false, finisher: null, hears: [[], [0]] } as const;
  return { ...own, team: assembleTeam(config, readingWorld, protocol) };
}

const quiet = () => Promise.resolve();
const weightsOf = async (networks: readonly Network[]) =>
  (await Promise.all(networks.map(downloadNetwork))).map(({ weights }) => weights.map(({ values }) => values));

describe.each(runs)('fresh contexts and %s', (_, settings) => {
  it('learn, on policy at first, and leave no tensors behind', async () => {
    const learning = await learningOf(settings);
    const { team, networks } = learning;
    const before = await weightsOf(networks);
    const first = await runIteration(learning, 0, quiet);
    const rows = buildRows(first.trajectories, [0, 1], team.tokens);
    const trunks = first.trajectories.filter(({ branch }) => !branch);
    expect(trunks.every(({ turns, finishCode }) => turns.length === 6 && finishCode === 0)).toBe(true);
    expect(rows.rows).toBe(trunks.length * 6 + (first.trajectories.length - trunks.length));
    expect(first.metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
    expect(first.metrics.values['losses/clipfrac']).toBe(0);
    const after = await weightsOf(networks);
    after.forEach((arrays, n) => expect(arrays, `network ${n}`).not.toEqual(before[n]));
    await runIteration(learning, 1, quiet);
    learning.rooms?.dispose();
    const { numTensors } = tf.memory();
    await runIteration(learning, 2, quiet);
    learning.rooms?.dispose();
    expect(tf.memory().numTensors).toBe(numTensors);
    disposeTrainState(learning);
  });
});

it('rows of one agent in one dialogue may lie in different microbatches where no ratio ties them: the step is the same', async () => {
  const stepped: Float32Array[][] = [];
  for (const microbatchTokens of [1, 100_000]) {
    const learning = await learningOf({});
    const { trajectories } = await runIteration(learning, 0, quiet);
    const batch = buildRows(trajectories, [0, 1], learning.team.tokens);
    const none = new Float32Array(0);
    const advantages = batch.actionMask.map((is, at) => is * Math.sin(at));
    const facts = { advantages, returns: none, oldValues: none, refLogprobs: none };
    const { config, maxActionTokens } = learning.team;
    const context = { config, iteration: 1, gate: new Gate(), klCoef: 0, maxActionTokens, microbatchTokens };
    const [network] = learning.networks as [Network];
    await updateNetwork(network, batch, facts, context);
    stepped.push(...(await weightsOf([network])));
    disposeTrainState(learning);
  }
  const [apart, together] = stepped as [Float32Array[], Float32Array[]];
  apart.forEach((values, i) =>
    values.forEach((value, at) => expect(value).toBeCloseTo(together[i]?.[at] as number, 4)),
  );
});

describe('what reads fresh contexts', () => {
  it('is measured at the same place in every run, and told the influence of messages that were answered', async () => {
    const learning = await learningOf({});
    const { team } = learning;
    const measure = () => evaluateTeam(team, { policies: agentPolicies(learning), iteration: 0, withMasked: true });
    expect(await measure()).toEqual(await measure());
    const { trajectories } = await runIteration(learning, 0, quiet);
    const table = await measureInfluence(learning, trajectories);
    // The answerer hears the reader, but no agent hears the answerer.
    expect(
      table.every((turns) => turns.every((gain, t) => (t % 2 === 0) === Number.isFinite(gain ?? Number.NaN))),
    ).toBe(true);
    disposeTrainState(learning);
  });

  it('finds a message where it stands in the first row that answers it', async () => {
    const learning = await learningOf({});
    const { tokens } = learning.team;
    const { trajectories } = await runIteration(learning, 0, quiet);
    for (const trajectory of trajectories) {
      const rows = heardRows(trajectory, 1, tokens);
      expect(rows.map(({ heard }) => heard.map(({ turn, next }) => [turn, next]))).toEqual([
        [[0, 1]],
        [[2, 3]],
        [[4, 5]],
      ]);
      for (const { view, heard } of rows)
        for (const { turn, from, to } of heard)
          expect(view.ids.slice(from, to)).toEqual(turnContext(trajectory.turns[turn] as Turn, tokens, 1));
      expect(heardRows(trajectory, 0, tokens).flatMap(({ heard }) => heard)).toEqual([]);
    }
    disposeTrainState(learning);
  });

  it('writes as a preference pair the first message that differs after the same words', async () => {
    const learning = await learningOf({});
    const { team } = learning;
    const { trajectories } = await runIteration(learning, 0, quiet);
    const rows = new Set(
      trajectories.flatMap((one) =>
        [0, 1].flatMap((agent) => viewRows(one, agent, team.tokens).map(({ ids }) => String(ids))),
      ),
    );
    const pairs = minePreferences(team, trajectories, { minGap: 1e-6 });
    expect(pairs.length).toBeGreaterThan(0);
    for (const { prompt, chosen, rejected } of pairs) {
      for (const side of [chosen, rejected]) expect(rows.has(String(team.tokenizer.encode(prompt + side)))).toBe(true);
      expect(chosen).not.toBe(rejected);
    }
    disposeTrainState(learning);
  });

  it('needs positions for one turn, however many rounds there are', async () => {
    const team = (roundLimit: number) => {
      const config = microConfig({ agents: { roundLimit } });
      const protocol = { ...protocolOf(config.agents, readingWorld), context: 'fresh' } as const;
      return assembleTeam(config, readingWorld, protocol).shape.maxPositions;
    };
    expect(team(8)).toBe(team(1));
  });
});
