import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { preferenceKinds, type PreferenceKind } from '../../config/names.ts';
import { Draws } from '../../base/random.ts';
import type { NetworkState } from '../../records/stored/checkpoint.ts';
import { collectRollouts } from '../collect/collect.ts';
import type { PreferenceOptions } from '../maths/dpoLoss.ts';
import { disposeRows, rowOutputs, uploadRows } from '../rows/forward.ts';
import { padRows } from '../rows/microbatches.ts';
import { microbatchGradient, microbatchWork } from './gradient.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork, variables, type Network } from '../team/network.ts';
import { learnable, objectiveOfRows, type Objective } from './objectives.ts';
import { finiteDifferences, largestGap } from '../reference/batches.ts';
import { goesByMean } from '../maths/dpoLoss.ts';
import { referenceDelta, referenceDpo } from '../reference/judgement.ts';
import type { Matrix } from '../reference/policy.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openGate } from '../testing/microRun.ts';
import { updateNetwork, type RowFacts } from './update.ts';

onCpu();

interface Sampled {
  team: Team;
  state: NetworkState;
  batch: RowBatch;
  facts: RowFacts;
}

/** Rows of both agents from a real rollout, with a reference that differs from the policy. */
async function sampled(): Promise<Sampled> {
  const config = microConfig({ learning: { problemsPerIteration: 2, groupSize: 4 } });
  const team = assembleTeam(config);
  const state = (await microCheckpoint(config)).networks[0] as NetworkState;
  const network = uploadNetwork(state, team.shape);
  const { trajectories } = await collectRollouts(team, {
    policies: agentPolicies({ team, networks: [network] }),
    iteration: 0,
  });
  disposeNetwork(network);
  const batch = buildRows(trajectories, [0, 1], team.tokens);
  const draws = new Draws(5, 7, 0);
  const empty = new Float32Array(0);
  const refLogprobs = batch.oldLogprobs.map((x, at) => (batch.actionMask[at] ? x + 0.3 * draws.normal() : 0));
  return { team, state, batch, facts: { advantages: empty, returns: empty, oldValues: empty, refLogprobs } };
}

/**
 * Trajectories 2p and 2p + 1 are a pair, and the trajectory with the even number is preferred. Trajectories 6 and 7 are
 * in no pair.
 */
function pairsOf({ trajectoryIds }: RowBatch, options: PreferenceOptions): Objective & { kind: 'preference' } {
  const pairIds = Array.from(trajectoryIds, (id) => (id >= 6 ? -1 : id >> 1));
  return { kind: 'preference', options, pairIds, sides: Array.from(trajectoryIds, (id) => (id % 2 ? -1 : 1)) };
}

/**
 * Takes one step over all rows. Returns the first metric and the gradient, which is the optimiser's first moment if β₁
 * is 0 and the gradient is not clipped.
 */
async function step({ team, state, batch, facts }: Sampled, objective: Objective, microbatchTokens?: number) {
  const network = uploadNetwork(state, team.shape);
  const { config } = team;
  const metrics = await updateNetwork(network, batch, facts, {
    config: {
      ...config,
      learning: { ...config.learning, updateEpochs: 1, numMinibatches: 1 },
      optimiser: { ...config.optimiser, beta1: 0, maxGradNorm: 1e6 },
    },
    ...{ iteration: 0, gate: openGate(), klCoef: 0, maxActionTokens: team.maxActionTokens, objective },
    ...(microbatchTokens !== undefined && { microbatchTokens }),
  });
  const { m, weights } = await downloadNetwork(network);
  disposeNetwork(network);
  return { metrics, gradient: m, weights };
}

const matrix = (values: ArrayLike<number>, { rows, length }: RowBatch): Matrix =>
  Array.from({ length: rows }, (_, b) => Array.from({ length }, (_, t) => values[b * length + t] as number));

/**
 * The log-probabilities of an untrained network, and, if `coefficients` is given, the gradient of Σ coefficient ·
 * logprob.
 */
async function forward({ team, state, batch }: Sampled, coefficients?: Matrix) {
  const network = uploadNetwork(state, team.shape);
  const rows = uploadRows(batch);
  const of = (net: Network) => rowOutputs(net, rows, team.config.agents.temperature).logprobs;
  const logprobs = tf.tidy(() => matrix(of(network).dataSync(), batch));
  tf.tidy(() => {
    if (!coefficients) return;
    const weights = tf.tensor2d(coefficients);
    const { grads } = tf.variableGrads(() => tf.sum(tf.mul(of(network), weights)) as tf.Scalar, variables(network));
    variables(network).forEach(({ name }, i) => network.m[i]?.assign(grads[name] as tf.Tensor));
  });
  const { m } = await downloadNetwork(network);
  disposeRows(rows);
  disposeNetwork(network);
  return { logprobs, gradient: m };
}

const gap = (a: readonly Float32Array[], b: readonly Float32Array[]) =>
  largestGap(
    a.map((values) => Array.from(values)),
    b.map((values) => Array.from(values)),
  );

/** The DPO loss for these log-probabilities, computed in float64. */
function referenceLoss(
  found: Sampled,
  objective: Objective & { kind: 'preference' },
  logprobs: Matrix,
  isFree: boolean,
) {
  const { batch, facts } = found;
  const given = {
    logprobs,
    refLogprobs: isFree ? null : matrix(facts.refLogprobs, batch),
    actionMask: matrix(batch.actionMask, batch),
  };
  const rowsOf = (pair: number, side: number) =>
    [...batch.trajectoryIds.keys()].filter((b) => objective.pairIds[b] === pair && objective.sides[b] === side);
  const { kind } = objective.options;
  const deltas = [0, 1, 2].map((pair) =>
    referenceDelta(given, { winner: rowsOf(pair, 1), loser: rowsOf(pair, -1) }, goesByMean(kind)),
  );
  return referenceDpo(deltas, objective.options).loss;
}

/** Only two kinds of loss take a share of swapped pairs. */
const smoothingOf = (kind: PreferenceKind) => (kind === 'sigmoid' || kind === 'robust' ? 0.1 : 0);

describe('the preference loss of an update', () => {
  for (const kind of preferenceKinds) {
    for (const isFree of [false, true]) {
      it(`and its gradient are those of float64 (${kind}${isFree ? ', reference-free' : ''}), however it is cut`, async () => {
        const found = await sampled();
        if (isFree) found.facts.refLogprobs = new Float32Array(0);
        const objective = pairsOf(found.batch, { kind, beta: 0.2, smoothing: smoothingOf(kind), margin: 0.3 });
        const { logprobs } = await forward(found);
        const loss = (at: Matrix) => referenceLoss(found, objective, at, isFree);
        const whole = await step(found, objective);
        expect(whole.metrics[0]?.['losses/policy_loss']).toBeCloseTo(loss(logprobs), 4);
        const { gradient: expected } = await forward(found, finiteDifferences(loss, logprobs, 1e-4));
        const scale = Math.max(...expected.flatMap((values) => Array.from(values, Math.abs)));
        expect(scale).toBeGreaterThan(1e-3);
        expect(gap(whole.gradient, expected)).toBeLessThan(1e-4 * Math.max(1, scale));
        const parts = await step(found, objective, 1);
        expect(gap(parts.gradient, whole.gradient)).toBeLessThan(1e-5 * Math.max(1, scale));
        expect(parts.metrics[0]?.['losses/policy_loss']).toBeCloseTo(
          whole.metrics[0]?.['losses/policy_loss'] as number,
          5,
        );
      });
    }
  }

  it('is not changed by padding rows, columns and pairs', async () => {
    const { team, state, batch, facts } = await sampled();
    const objective = pairsOf(batch, { kind: 'sigmoid', beta: 0.2, smoothing: 0, margin: 0 });
    const rows = [...batch.trajectoryIds.keys()].filter((b) => (objective.pairIds[b] as number) >= 0);
    const all = objectiveOfRows(objective, [...batch.trajectoryIds.keys()], 3);
    if (all?.kind !== 'preference') throw new Error('a preference was asked for');
    const paired = { ...all, pairs: all.pairs.slice(0, 3) };
    expect(rows.length).toBeGreaterThan(6);
    const columns = { refLogprobs: facts.refLogprobs, oldLogprobs: batch.oldLogprobs, tokenShare: batch.actionMask };
    const network = uploadNetwork(state, team.shape);
    const gradients = [1, 8].map((multiple) => {
      const bucket = { rows: multiple, columns: multiple, count: (n: number) => n + multiple - 1 };
      const padded = padRows(batch, columns, bucket);
      const cut = { batch: padded.batch, facts: padded.columns, objective: paired };
      const work = microbatchWork(cut, { config: team.config, klCoef: null, bucket });
      return tf.tidy(() => {
        const inputs = Object.fromEntries(
          Object.entries(work.uploads).map(([name, { values, shape }]) => [
            name,
            tf.tensor(values, [...shape], values instanceof Int32Array ? 'int32' : 'float32'),
          ]),
        );
        return microbatchGradient(network, work, { config: team.config, inputs }).map((tensor) =>
          Float32Array.from(tensor.dataSync()),
        );
      });
    });
    disposeNetwork(network);
    expect(gap(gradients[1]?.slice(1) ?? [], gradients[0]?.slice(1) ?? [])).toBeLessThan(1e-5);
  });

  it('leaves out what was said on one side alone; with nothing left nothing moves', async () => {
    const found = await sampled();
    const whole = pairsOf(found.batch, { kind: 'sigmoid', beta: 0.1, smoothing: 0, margin: 0 });
    const oneSided = { ...whole, sides: Array.from(whole.sides, () => 1) };
    expect(learnable(oneSided, found.batch).rows).toEqual([]);
    const { metrics, weights } = await step(found, oneSided);
    expect(metrics).toEqual([]);
    weights.forEach(({ values }, i) => expect(values).toEqual(found.state.weights[i]?.values));
    const { units, rows } = learnable(whole, found.batch);
    expect(new Set(Array.from(units))).toEqual(new Set([0, 1, 2]));
    expect(rows?.every((row) => (found.batch.trajectoryIds[row] as number) < 6)).toBe(true);
  });
});

describe('the imitation loss of an update', () => {
  it('is the cross-entropy of the kept rows, and so is its gradient', async () => {
    const found = await sampled();
    const { batch } = found;
    const isKept = Array.from(batch.trajectoryIds, (id) => (id % 3 === 0 ? 1 : 0));
    const { logprobs } = await forward(found);
    const mask = matrix(batch.actionMask, batch).map((row, b) => row.map((is) => is * (isKept[b] as number)));
    const tokens = mask.flat().reduce((sum, is) => sum + is, 0);
    const coefficients = mask.map((row) => row.map((is) => -is / tokens));
    const loss = coefficients.flatMap((row, b) => row.map((c, t) => c * (logprobs[b]?.[t] as number)));
    const { metrics, gradient } = await step(found, { kind: 'imitation', isKept });
    expect(metrics[0]?.['losses/policy_loss']).toBeCloseTo(
      loss.reduce((a, b) => a + b, 0),
      5,
    );
    const { gradient: expected } = await forward(found, coefficients);
    expect(gap(gradient, expected)).toBeLessThan(1e-5);
    expect(metrics[0]?.['losses/approx_kl']).toBeCloseTo(0, 5);
  });

  it('lowers itself over epochs, and holds on to no tensor', async () => {
    const { team, state, batch, facts } = await sampled();
    const network = uploadNetwork(state, team.shape);
    const objective: Objective = { kind: 'imitation', isKept: Array.from(batch.trajectoryIds, () => 1) };
    const config = { ...team.config, learning: { ...team.config.learning, updateEpochs: 4, numMinibatches: 1 } };
    const context = { config, gate: openGate(), klCoef: 0, maxActionTokens: team.maxActionTokens, objective };
    const first = await updateNetwork(network, batch, facts, { ...context, iteration: 0 });
    const held = tf.memory().numTensors;
    await updateNetwork(network, batch, facts, { ...context, iteration: 1 });
    expect(tf.memory().numTensors).toBe(held);
    disposeNetwork(network);
    const losses = first.map((metrics) => metrics['losses/policy_loss']);
    expect(losses).toEqual([...losses].sort((a, b) => b - a));
    expect(losses).toHaveLength(4);
  });
});
