import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { FormatError, NumericsError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import { runId } from '../../records/ids.ts';
import { demonstrate } from '../imitation/demonstrations.ts';
import { disposeRows, rowOutputs, uploadRows } from '../rows/forward.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, variables } from '../team/network.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { measureIteration } from '../preflight/preflight.ts';
import { probeStep } from '../preflight/probe.ts';
import { buildRows } from '../rows/rows.ts';
import { startingCheckpoint } from './start.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openGate, startRun } from '../testing/microRun.ts';
import { scheduledRate, trainWarmStart, warmStartSchedule } from '../imitation/warmStart.ts';

onCpu();

describe('startingCheckpoint', () => {
  const start = (settings: ConfigInput, shipped: NamedArray[] = []) =>
    startingCheckpoint({
      config: microConfig(settings),
      runId: runId('r'),
      backend: 'simd',
      loadShipped: () => Promise.resolve(shipped),
    });

  it('makes as many networks as there are minds, each from its own draws', async () => {
    expect((await start({})).networks).toHaveLength(1);
    const { networks } = await start({ agents: { parameters: 'separate' } });
    expect(networks).toHaveLength(2);
    expect(networks[0]?.weights).not.toEqual(networks[1]?.weights);
  });

  it('takes the start as the frozen reference, in arrays of its own', async () => {
    const { networks, reference } = await start({});
    expect(reference[0]).toEqual(networks[0]?.weights);
    expect(reference[0]?.[0]?.values).not.toBe(networks[0]?.weights[0]?.values);
  });

  it('adds a critic of zeros for learners that have one', async () => {
    expect((await start({})).networks[0]?.critic).toEqual([]);
    const { networks } = await start({ learning: { learner: 'ppo' } });
    expect(networks[0]?.critic.map(({ name }) => name)).toEqual(['value_head.weight', 'value_head.bias']);
    expect(networks[0]?.m).toHaveLength((networks[0]?.weights.length ?? 0) + 2);
  });

  it('gives every network a copy of its own of the shipped weights', async () => {
    const shipped = initialWeights(assembleTeam(microConfig()).shape, 9);
    const settings = { warmStart: { source: 'shipped' }, agents: { parameters: 'separate' } } as const;
    const { networks } = await start(settings, shipped);
    networks.forEach(({ weights }) => {
      expect(weights).toEqual(shipped);
      expect(weights[0]?.values).not.toBe(shipped[0]?.values);
    });
  });
});

describe('the warm start', () => {
  const settings = {
    warmStart: { source: 'train', steps: 40, batchSize: 32, resultNoise: 0, learningRate: 0.03 },
  } as const;

  it('lowers the cross-entropy of demonstrations, and leaves moments and counter at zero', async () => {
    const config = microConfig(settings);
    const team = assembleTeam(config);
    const network = uploadNetwork(freshState(initialWeights(team.shape, 1), team.shape, true), team.shape);
    const losses: number[] = [];
    await trainWarmStart(team, [network], { gate: openGate(), onStep: (_, loss) => losses.push(loss) });
    expect(losses).toHaveLength(4);
    expect(losses[0]).toBeLessThan(4);
    expect(losses[3]).toBeLessThan(0.75 * (losses[0] as number));
    const { m, v, updates, critic } = await downloadNetwork(network);
    expect([...m, ...v].every((values) => values.every((x) => x === 0))).toBe(true);
    expect(updates).toBe(0);
    expect(critic.every(({ values }) => values.every((x) => x === 0))).toBe(true);
    disposeNetwork(network);
  });

  it('is the same for the same seed and leaves no tensors behind', async () => {
    const first = await microCheckpoint(microConfig(settings));
    const before = tf.memory().numTensors;
    expect(await microCheckpoint(microConfig(settings))).toEqual(first);
    expect(tf.memory().numTensors).toBe(before);
    expect((await microCheckpoint(microConfig({ ...settings, run: { seed: 2 } }))).networks).not.toEqual(
      first.networks,
    );
  });

  it('teaches each of two networks its own role only', async () => {
    const separate = { ...settings, agents: { parameters: 'separate' } } as const;
    const config = microConfig(separate);
    const team = assembleTeam(config);
    const { networks } = await microCheckpoint(config);
    const loss = (n: number, agent: number) => {
      const network = uploadNetwork(networks[n] as NetworkState, team.shape);
      const batch = buildRows(demonstrate(team, 999), [agent], team.tokens);
      const rows = uploadRows(batch);
      const total = tf.tidy(() => {
        const { logprobs } = rowOutputs(network, rows, 1);
        const mask = tf.tensor2d(batch.actionMask, rows.shape);
        return tf.div(tf.neg(tf.sum(tf.mul(logprobs, mask))), tf.sum(mask)).dataSync()[0] as number;
      });
      disposeRows(rows);
      disposeNetwork(network);
      return total;
    };
    expect(loss(0, 0)).toBeLessThan(loss(1, 0));
    expect(loss(1, 1)).toBeLessThan(loss(0, 1));
  });

  it('of networks that exchange roles is one, trained on all roles, and each starts from a copy of it', async () => {
    const agents = { parameters: 'separate' } as const;
    const steps = { ...settings.warmStart, steps: 3 };
    const shared = await microCheckpoint(microConfig({ warmStart: steps }));
    const { networks, reference } = await microCheckpoint(
      microConfig({ warmStart: steps, agents: { ...agents, swapEvery: 5 } }),
    );
    expect(networks).toHaveLength(2);
    for (const { weights } of networks) expect(weights).toEqual(shared.networks[0]?.weights);
    expect(networks[0]?.weights[0]?.values).not.toBe(networks[1]?.weights[0]?.values);
    expect(reference).toEqual(shared.reference);
  });

  it('rises for 30 steps and falls to a tenth by a cosine', () => {
    const config = microConfig({ warmStart: { steps: 1000, learningRate: 0.1 } });
    const rates = [0, 30, 500, 1000].map((step) => scheduledRate(warmStartSchedule(config), step));
    expect(rates).toEqual([0.1 / 30, 0.1, 0.055, 0.01].map((rate) => expect.closeTo(rate, 3)));
  });

  it('that diverges stops and says which setting to lower', async () => {
    const config = microConfig({ warmStart: { ...settings.warmStart, steps: 10 } });
    const team = assembleTeam(config);
    const weights = initialWeights(team.shape, 1);
    weights[0]?.values.fill(Number.NaN);
    const network = uploadNetwork(freshState(weights, team.shape, false), team.shape);
    const trained = trainWarmStart(team, [network], { gate: openGate() });
    await expect(trained).rejects.toThrow(NumericsError);
    await expect(trained).rejects.toThrow(/step 10 is NaN; lower warmStart\.learningRate/);
    disposeNetwork(network);
  });
});

describe('a network', () => {
  const team = assembleTeam(microConfig());
  const state = () => {
    const fresh = freshState(initialWeights(team.shape, 4), team.shape, true);
    [...fresh.m, ...fresh.v].forEach((values, i) => values.fill(i + 1));
    return { ...fresh, updates: 17 };
  };

  it('comes back from the device bit for bit', async () => {
    const given = state();
    const network = uploadNetwork(given, team.shape);
    expect(await downloadNetwork(network)).toEqual(given);
    expect(variables(network)).toHaveLength(network.m.length);
    disposeNetwork(network);
  });

  it('refuses weights of another shape and keeps no tensor of them', () => {
    const before = tf.memory().numTensors;
    const wrong = state();
    (wrong.weights[3] as NamedArray).shape = [1, 2];
    expect(() => uploadNetwork(wrong, team.shape)).toThrow(FormatError);
    expect(tf.memory().numTensors).toBe(before);
  });
});

it('oldFacts are those of one forward pass over all rows, however they are cut', async () => {
  const config = microConfig({ warmStart: { batchSize: 300 } });
  const team = assembleTeam(config);
  const state = freshState(initialWeights(team.shape, 4), team.shape, true);
  state.critic[0]?.values.fill(0.3);
  const network = uploadNetwork(state, team.shape);
  const other = uploadNetwork(freshState(initialWeights(team.shape, 5), team.shape, false), team.shape);
  const batch = buildRows(demonstrate(team, 0), [0, 1], team.tokens);
  const parts = { network, reference: other.tree, temperature: 0.7, gate: openGate() };
  const before = tf.memory().numTensors;
  const facts = await oldFacts(batch, parts);
  expect(tf.memory().numTensors).toBe(before);
  const rows = uploadRows(batch);
  const whole = tf.tidy(() => ({
    values: rowOutputs(network, rows, 0.7).values?.dataSync() as Float32Array,
    logprobs: rowOutputs({ tree: other.tree, shape: team.shape }, rows, 0.7).logprobs.dataSync(),
  }));
  disposeRows(rows);
  const gap = (a: Float32Array, b: ArrayLike<number>) =>
    Math.max(...a.map((x, at) => (batch.actionMask[at] ? Math.abs(x - (b[at] as number)) : 0)));
  expect(batch.rows * batch.length).toBeGreaterThan(6144 * 2);
  expect(gap(facts.values, whole.values)).toBeLessThan(1e-5);
  expect(gap(facts.refLogprobs, whole.logprobs)).toBeLessThan(1e-5);
  expect(await oldFacts(batch, { ...parts, network: other, reference: null })).toEqual({
    values: new Float32Array(0),
    refLogprobs: new Float32Array(0),
  });
  [network, other].forEach(disposeNetwork);
});

describe('the preflight', () => {
  const variants: [string, ConfigInput][] = [
    ['grpo', {}],
    ['ppo', { learning: { learner: 'ppo' } }],
    ['mappo', { learning: { learner: 'mappo' } }],
    ['two networks and KL in the loss', { agents: { parameters: 'separate' }, kl: { place: 'loss' } }],
    ['one agent', { agents: { protocol: 'single' } }],
  ];
  it.each(variants)('measures without changing the run (%s)', async (_, settings) => {
    const [measured, plain] = [await startRun(settings), await startRun(settings)];
    const before = tf.memory().numTensors;
    const { iterationMs, memoryBytes, example } = await measureIteration(measured.session.trainState);
    expect(tf.memory().numTensors).toBe(before);
    expect(iterationMs).toBeGreaterThan(0);
    expect(memoryBytes).toBeGreaterThan(10_000);
    expect(example.turns.length).toBeGreaterThan(0);
    await measured.session.train(1);
    await plain.session.train(1);
    expect((await measured.session.checkpoint()).networks).toEqual((await plain.session.checkpoint()).networks);
  });
});

describe('the probe', () => {
  it('takes a few steps within its time and leaves no tensors behind', async () => {
    await probeStep();
    const before = tf.memory().numTensors;
    const ms = await probeStep();
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThan(5000);
    expect(tf.memory().numTensors).toBe(before);
  });

  /** Delays each read from the device by `ms` milliseconds, beginning with read number `from`. */
  function answerLate(ms: number, from = 1) {
    const backend = tf.backend();
    const read = backend.read.bind(backend);
    let answers = 0;
    return vi.spyOn(backend, 'read').mockImplementation(async (dataId) => {
      if (++answers >= from) await new Promise((resolve) => setTimeout(resolve, ms));
      return read(dataId);
    });
  }

  it('does not wait for a step that takes longer than all its time, and frees that step once it is over', async () => {
    await probeStep();
    const before = tf.memory().numTensors;
    const late = answerLate(3000);
    const started = performance.now();
    const ms = await probeStep(500);
    expect(performance.now() - started).toBeLessThan(2500);
    expect(ms).toBeGreaterThan(400);
    expect(tf.memory().numTensors).toBe(before + 1); // only the tensor that the test requested remains
    await late.mock.results[0]?.value;
    await new Promise((resolve) => setTimeout(resolve));
    expect(tf.memory().numTensors).toBe(before);
    late.mockRestore();
  });

  it('goes by the steps that were done, where a later one is not', async () => {
    await probeStep();
    const late = answerLate(3000, 3);
    const started = performance.now();
    const ms = await probeStep(2000);
    const wholeMs = performance.now() - started;
    late.mockRestore();
    expect(wholeMs).toBeLessThan(2900);
    expect(ms).toBeLessThan(1000); // the time of the second step, without the wait for the third
  });
});
