// For tests. Takes one update on real off-policy rows, and computes the gradient of this update in a second way.
// Central differences of the loss in float64 give the derivatives with respect to the network's outputs for each token.
// From these, the backward pass of the current backend computes the gradient.
import * as tf from '@tensorflow/tfjs-core';
import { Draws } from '../../base/random.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import type { NetworkState } from '../../records/stored/checkpoint.ts';
import { collectRollouts } from '../collect/collect.ts';
import { disposeRows, rowOutputs, uploadRows } from '../rows/forward.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork, variables, type Network } from '../team/network.ts';
import { finiteDifferences } from '../reference/batches.ts';
import type { Matrix } from '../reference/policy.ts';
import {
  referenceTotal,
  type Known,
  type ReferenceTotal,
  type PolicyOutput,
  type TotalOptions,
} from '../reference/total.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { isBonusOfLiving } from '../update/livingRows.ts';
import { updateNetwork, type RowFacts, type UpdateMetrics } from '../update/update.ts';
import { microCheckpoint, microConfig, openGate } from './microRun.ts';

export interface OffPolicy {
  team: Team;
  state: NetworkState;
  batch: RowBatch;
  facts: RowFacts;
}

/**
 * The rows of one real iteration of PPO, with random advantages and values. The old log-probabilities are close to the
 * log-probabilities under the network.
 */
export async function offPolicyRows(settings: ConfigInput, seed: number): Promise<OffPolicy> {
  const few = { problemsPerIteration: 1, groupSize: 4, learner: 'ppo', updateEpochs: 1, numMinibatches: 1 } as const;
  const config = microConfig({ ...settings, learning: { ...few, entCoef: 0.05, ...settings.learning } });
  const team = assembleTeam(config);
  const state = (await microCheckpoint(config)).networks[0] as NetworkState;
  const network = uploadNetwork(state, team.shape);
  const policies = agentPolicies({ team, networks: [network] });
  const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
  disposeNetwork(network);
  const batch = buildRows(trajectories, [0, 1], team.tokens);
  const draws = new Draws(seed, 7, 0);
  const column = (scale: number) => batch.actionMask.map((is) => is * scale * draws.normal());
  const around = (scale: number) => column(scale).map((x, at) => x + (batch.oldLogprobs[at] as number));
  const facts = { advantages: column(1), returns: column(1), oldValues: column(0.3), refLogprobs: around(0.5) };
  batch.oldLogprobs = around(0.3);
  // If all weights of the value head were 0, the value loss would give the trunk no gradient.
  state.critic.forEach(({ values }) => values.forEach((_, i) => (values[i] = 0.5 * draws.normal())));
  return { team, state, batch, facts };
}

/** Off-policy rows of four trajectories. In some rows, all advantages are 0. There is no critic. */
export async function partlyDead(
  { learning, kl = {} }: ConfigInput,
  isDead: (row: number, batch: RowBatch) => boolean,
): Promise<OffPolicy> {
  const found = await offPolicyRows({ learning: { learner: 'grpo', entCoef: 0, ...learning }, kl }, 4);
  const { batch, facts } = found;
  const advantages = facts.advantages.map((x, at) => (isDead(Math.floor(at / batch.length), batch) ? 0 : x));
  const refLogprobs = kl.place === 'loss' ? facts.refLogprobs : new Float32Array(0);
  return { ...found, facts: { advantages, refLogprobs, returns: new Float32Array(0), oldValues: new Float32Array(0) } };
}

/**
 * Takes one update on the current backend. Returns its metrics and the gradient, which is the optimiser's first moment
 * if β₁ is 0 and the gradient is not clipped.
 */
export async function takenStep({ team, state, batch, facts }: OffPolicy) {
  const { config } = team;
  const network = uploadNetwork(state, team.shape);
  const [metrics] = await updateNetwork(network, batch, facts, {
    config: { ...config, optimiser: { ...config.optimiser, beta1: 0, maxGradNorm: 1e6 } },
    ...{ iteration: 0, gate: openGate(), klCoef: klCoefOf(config), maxActionTokens: team.maxActionTokens },
  });
  const { m } = await downloadNetwork(network);
  disposeNetwork(network);
  return { metrics: metrics as UpdateMetrics, gradient: m };
}

const klCoefOf = ({ kl }: Config) => (kl.place === 'loss' ? kl.coef : 0);

/** The loss in float64, and its gradient with respect to each parameter. */
export async function expectedStep(found: OffPolicy): Promise<{ loss: ReferenceTotal; gradient: Float32Array[] }> {
  const { team, batch, facts } = found;
  const { learning, kl } = team.config;
  const options: TotalOptions = {
    ...learning,
    ...{ maxActionTokens: team.maxActionTokens, klCoef: klCoefOf(team.config) },
    estimator: kl.place === 'loss' ? kl.estimator : null,
    isBonusOfLiving: isBonusOfLiving(team.config),
  };
  // Columns of facts that are absent are replaced by zeros.
  const table = (values: ArrayLike<number>) =>
    matrix(values.length > 0 ? values : new Float32Array(batch.ids.length), batch);
  const known: Known = {
    ...{ oldLogprobs: table(batch.oldLogprobs), actionMask: table(batch.actionMask), turnIds: table(batch.turnIds) },
    ...{ advantages: table(facts.advantages), trajectoryIds: Array.from(batch.trajectoryIds) },
    agentIds: Array.from(batch.agentIds),
    ...{ oldValues: table(facts.oldValues), returns: table(facts.returns), refLogprobs: table(facts.refLogprobs) },
  };
  const { said } = await forward(found);
  const held = { ...known, heldAt: said.logprobs };
  const slopes = (part: keyof PolicyOutput) =>
    finiteDifferences((at) => referenceTotal({ ...said, [part]: at }, held, options).total, said[part]);
  const pushed = { logprobs: slopes('logprobs'), entropy: slopes('entropy'), values: slopes('values') };
  const { gradient } = await forward(found, pushed);
  return { loss: referenceTotal(said, known, options), gradient };
}

const matrix = (values: ArrayLike<number>, { rows, length }: RowBatch): Matrix =>
  Array.from({ length: rows }, (_, b) => Array.from({ length }, (__, t) => values[b * length + t] as number));

/** The outputs of the network for the rows and, if `slopes` is given, the gradient of Σ slope · output. */
async function forward({ team, state, batch }: OffPolicy, slopes?: PolicyOutput) {
  const network = uploadNetwork(state, team.shape);
  const rows = uploadRows(batch);
  const of = (net: Network) => {
    const { logprobs, entropy, values } = rowOutputs(net, rows, team.config.agents.temperature);
    return { logprobs, entropy, values: values ?? tf.zerosLike(logprobs) };
  };
  const said = tf.tidy(() => {
    const { logprobs, entropy, values } = of(network);
    const [p, h, v] = [logprobs, entropy, values].map((tensor) => matrix(tensor.dataSync(), batch));
    return { logprobs: p, entropy: h, values: v } as PolicyOutput;
  });
  tf.tidy(() => {
    if (!slopes) return;
    const weighted = () => {
      const tensors = of(network);
      const names = ['logprobs', 'entropy', 'values'] as const;
      return tf.addN(names.map((name) => tf.sum(tf.mul(tensors[name], tf.tensor2d(slopes[name]))))) as tf.Scalar;
    };
    const { grads } = tf.variableGrads(weighted, variables(network));
    variables(network).forEach(({ name }, i) => network.m[i]?.assign(grads[name] as tf.Tensor));
  });
  const { m } = await downloadNetwork(network);
  disposeRows(rows);
  disposeNetwork(network);
  return { said, gradient: m };
}

/** The metrics that an update with this loss should report. */
export function expectedMetrics(loss: ReferenceTotal): [keyof UpdateMetrics, number][] {
  return [
    ['losses/policy_loss', loss.policy],
    ['losses/value_loss', loss.value],
    ['losses/entropy', loss.entropy],
    ['losses/ref_kl', loss.refKl],
    ['losses/approx_kl', loss.approxKl],
    ['losses/clipfrac', loss.clipFraction],
    ['losses/dual_clipfrac', loss.dualClipFraction],
  ];
}

/** The largest difference between two gradients, relative to the largest expected entry of each parameter. */
export function gradientGap(actual: readonly Float32Array[], expected: readonly Float32Array[]): number {
  const gaps = expected.map((values, i) => {
    const largest = Math.max(...values.map(Math.abs));
    return Math.max(...Array.from(values, (x, j) => Math.abs(x - (actual[i]?.[j] as number)))) / largest;
  });
  const gap = Math.max(...gaps);
  return actual.length === expected.length && Number.isFinite(gap) ? gap : Infinity;
}
