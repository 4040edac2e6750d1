import { describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import type { NetworkState } from '../../records/stored/checkpoint.ts';
import { collectRollouts } from '../collect/collect.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork } from '../team/network.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openGate } from '../testing/microRun.ts';
import { learningRate } from './optimiserStep.ts';
import { updateNetwork, type RowFacts, type UpdateMetrics } from './update.ts';

onCpu();

interface Sampled {
  config: Config;
  team: Team;
  states: NetworkState[];
  /** The rows of each network. */
  batches: RowBatch[];
}

/** Samples real dialogues of iteration 0, and builds the rows of each network. */
async function sampled(settings: ConfigInput): Promise<Sampled> {
  const config = microConfig(settings);
  const team = assembleTeam(config);
  const { networks: states } = await microCheckpoint(config);
  const networks = states.map((state) => uploadNetwork(state, team.shape));
  const policies = agentPolicies({ team, networks });
  const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
  networks.forEach(disposeNetwork);
  return {
    config,
    team,
    states,
    batches: team.agentsOf.map((agents) => buildRows(trajectories, agents, team.tokens)),
  };
}

/** Facts with a random advantage, return and reference log-probability for every action token. */
function randomFacts(batch: RowBatch, seed: number): RowFacts {
  const draws = new Draws(seed, 7, 0);
  const column = (scale: number) => batch.actionMask.map((is) => is * scale * draws.normal());
  const refLogprobs = column(0.5).map((x, at) => x + (batch.oldLogprobs[at] as number));
  return { advantages: column(1), returns: column(1), oldValues: column(0.3), refLogprobs };
}

interface Step {
  metrics: UpdateMetrics;
  /** The gradient, which is the optimiser's first moment after one step if β₁ is 0 and the gradient is not clipped. */
  gradient: Float32Array[];
}

/** Takes one update over all rows, with a new copy of the network. */
async function step(
  { config, team }: Sampled,
  state: NetworkState,
  { batch, facts, microbatchTokens }: { batch: RowBatch; facts: RowFacts; microbatchTokens?: number },
): Promise<Step> {
  const network = uploadNetwork(state, team.shape);
  const [metrics] = await updateNetwork(network, batch, facts, {
    config: {
      ...config,
      learning: { ...config.learning, updateEpochs: 1, numMinibatches: 1 },
      optimiser: { ...config.optimiser, beta1: 0, maxGradNorm: 1e6 },
    },
    iteration: 0,
    gate: openGate(),
    klCoef: config.kl.place === 'loss' ? config.kl.coef : 0,
    maxActionTokens: team.maxActionTokens,
    ...(microbatchTokens !== undefined && { microbatchTokens }),
  });
  const { m } = await downloadNetwork(network);
  disposeNetwork(network);
  return { metrics: metrics as UpdateMetrics, gradient: m };
}

const distance = (a: readonly Float32Array[], b: readonly Float32Array[]) =>
  Math.max(...a.flatMap((values, i) => Array.from(values, (x, j) => Math.abs(x - (b[i]?.[j] as number)))));

const levels = [
  ['token', 'token'],
  ['turn', 'turn'],
  ['trajectory', 'trajectory'],
  ['dialogue', 'dialogue'],
] as const;

/**
 * The rows of a PPO run with a KL in the loss. The old log-probabilities of the rows are changed, so that the rows are
 * off-policy and some ratios are clipped.
 */
async function offPolicy(learning: ConfigInput['learning'] = {}) {
  const found = await sampled({
    learning: { learner: 'ppo', entCoef: 0.05, ...learning },
    kl: { place: 'loss', coef: 0.1 },
  });
  const batch = found.batches[0] as RowBatch;
  const draws = new Draws(5, 7, 0);
  batch.oldLogprobs = batch.oldLogprobs.map((x, at) => (batch.actionMask[at] ? x + 0.3 * draws.normal() : 0));
  const state = found.states[0] as NetworkState;
  // If all weights of the value head were 0, the value loss would give the trunk no gradient.
  state.critic.forEach(({ values }) => values.forEach((_, i) => (values[i] = 0.5 * draws.normal())));
  return { found, batch, state, facts: randomFacts(batch, 4) };
}

describe('the total loss', () => {
  const total = ({ learning, kl }: Config, metrics: UpdateMetrics) =>
    metrics['losses/policy_loss'] +
    learning.vfCoef * metrics['losses/value_loss'] -
    learning.entCoef * metrics['losses/entropy'] +
    kl.coef * metrics['losses/ref_kl'];

  it('has the gradient of its central differences, along single weights and along the gradient itself', async () => {
    const { found, batch, state, facts } = await offPolicy();
    const { gradient, metrics } = await step(found, state, { batch, facts });
    expect(metrics['losses/clipfrac']).toBeGreaterThan(0.02);
    const arrays = [...state.weights, ...state.critic];
    const along = async (direction: (array: number, i: number) => number, h: number) => {
      const at = async (sign: number) => {
        const moved = arrays.map((array, a) => ({
          ...array,
          values: array.values.map((x, i) => x + sign * h * direction(a, i)),
        }));
        const weights = moved.slice(0, state.weights.length);
        const critic = moved.slice(state.weights.length);
        return total(found.config, (await step(found, { ...state, weights, critic }, { batch, facts })).metrics);
      };
      return ((await at(1)) - (await at(-1))) / (2 * h);
    };
    const norm = Math.hypot(...gradient.flatMap((values) => Array.from(values)));
    const uphill = await along((a, i) => (gradient[a]?.[i] as number) / norm, 2e-3);
    expect(Math.abs(uphill / norm - 1)).toBeLessThan(1e-2);
    // In every array (embedding, projections, norms and value head), the weight with the largest gradient is tested.
    for (const [a, values] of gradient.entries()) {
      const steepest = values.reduce((best, x, i) => (Math.abs(x) > Math.abs(values[best] as number) ? i : best), 0);
      const measured = await along((array, i) => (array === a && i === steepest ? 1 : 0), 1e-2);
      const exact = values[steepest] as number;
      expect(Math.abs(measured - exact), arrays[a]?.name).toBeLessThan(1e-2 * Math.abs(exact) + 2e-4);
    }
  });

  it('is the same in one microbatch, in many, and in one for each trajectory', async () => {
    const { found, batch, state, facts } = await offPolicy();
    const whole = await step(found, state, { batch, facts, microbatchTokens: 1e9 });
    for (const microbatchTokens of [1, 300]) {
      const cut = await step(found, state, { batch, facts, microbatchTokens });
      expect(distance(cut.gradient, whole.gradient)).toBeLessThan(1e-5);
      for (const [name, value] of Object.entries(cut.metrics)) {
        expect(value, name).toBeCloseTo(whole.metrics[name as keyof UpdateMetrics], 4);
      }
    }
  });

  it('and its gradient do not see what stands in masked columns', async () => {
    for (const [ratioLevel, aggregation] of levels) {
      const { found, batch, state, facts } = await offPolicy({ ratioLevel, aggregation });
      const expected = await step(found, state, { batch, facts });
      const wild = <A extends Float32Array | Int32Array>(values: A, value: number): A =>
        values.map((x, at) => (batch.actionMask[at] ? x : value)) as A;
      const lastAction = (row: number) => batch.actionMask.lastIndexOf(1, (row + 1) * batch.length - 1);
      const masked: RowBatch = {
        ...batch,
        // The tokens after the agent's last own token in a row have no effect on the predictions for the agent's own
        // tokens.
        ids: batch.ids.map((id, at) => (at > lastAction(Math.floor(at / batch.length)) ? 17 : id)),
        targets: wild(batch.targets, 9),
        oldLogprobs: wild(batch.oldLogprobs, -40),
        turnIds: wild(batch.turnIds, 3),
      };
      const wildFacts = Object.fromEntries(
        Object.entries(facts).map(([name, values]) => [name, wild(values, 1e3)]),
      ) as RowFacts;
      expect(await step(found, state, { batch: masked, facts: wildFacts })).toEqual(expected);
    }
  });

  it('stays as it is when the agents of a shared network change names', async () => {
    const { found, batch, state, facts } = await offPolicy();
    const renamed = { ...batch, agentIds: batch.agentIds.map((agent) => 1 - agent) };
    expect(await step(found, state, { batch: renamed, facts })).toEqual(await step(found, state, { batch, facts }));
  });
});

describe('updateNetwork', () => {
  it('takes epochs × minibatches steps, each over whole trajectories, all of them in every epoch', async () => {
    const { found, batch, state, facts } = await offPolicy();
    const network = uploadNetwork(state, found.team.shape);
    const config = { ...found.config, learning: { ...found.config.learning, updateEpochs: 3, numMinibatches: 4 } };
    const context = { config, iteration: 2, gate: openGate(), klCoef: 0, maxActionTokens: 1 };
    expect(await updateNetwork(network, batch, facts, context)).toHaveLength(12);
    expect(network.updates).toBe(12);
    disposeNetwork(network);
  });

  it('leaves the epochs once the KL of new and old policy has passed kl.targetKl', async () => {
    const { found, batch, state, facts } = await offPolicy();
    const taken = async (targetKl: number) => {
      const network = uploadNetwork(state, found.team.shape);
      const config = {
        ...found.config,
        learning: { ...found.config.learning, updateEpochs: 3, numMinibatches: 1 },
        kl: { ...found.config.kl, targetKl },
      };
      const context = { config, iteration: 0, gate: openGate(), klCoef: 0, maxActionTokens: 1 };
      const { length } = await updateNetwork(network, batch, facts, context);
      disposeNetwork(network);
      return length;
    };
    expect([await taken(0), await taken(0.001), await taken(1)]).toEqual([3, 1, 3]);
  });

  it('rises to its learning rate over the warm-up', () => {
    const config = microConfig({ optimiser: { learningRate: 1e-3, warmupUpdates: 4 } });
    expect([0, 1, 3, 4, 90].map((updates) => learningRate(config, updates))).toEqual([
      0.00025, 0.0005, 0.001, 0.001, 0.001,
    ]);
  });
});
