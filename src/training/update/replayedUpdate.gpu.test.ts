// Tests updates of a small Llama, with microbatches and optimiser. Replayed updates must give exactly the same losses,
// norms and weights as updates without replay.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { counters } from '../../engine/counters.ts';
import { countersSince } from '../../engine/testing/countersSince.ts';
import { flatVariables } from '../../engine/flat.ts';
import { adamWRates, applyAdamW } from '../../engine/ops/adamW/adamW.ts';
import { addInto, copyInto } from '../../engine/ops/inPlace/inPlace.ts';
import { Replays } from '../../engine/replay.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { rotaryTables } from '../../model/network/positions.ts';
import { rowOutputs } from '../rows/forward.ts';
import { Gate } from '../team/gate.ts';
import { disposeNetwork, freshState, uploadNetwork, variables } from '../team/network.ts';
import { metricCount, optimiserStep } from './optimiserStep.ts';
import { StepMetrics } from './optimiserStep.ts';

const shape: ModelShape = {
  ...{ vocabSize: 32, hiddenSize: 16, intermediateSize: 24, numLayers: 2, numHeads: 2, numKvHeads: 1, headSize: 8 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 16 },
};
const [rows, length, microbatches] = [3, 8, 2];

beforeAll(() => startOwnDevice());

/** Takes five updates of two microbatches each. Returns their results, and the counted work of the last update. */
async function train(isOn: boolean) {
  const replays = new Replays(isOn);
  const network = uploadNetwork(freshState(initialWeights(shape, 1), shape, false), shape);
  const trained = variables(network);
  const sums = flatVariables(trained.map((x) => ({ shape: x.shape, values: new Float32Array(x.size) })));
  const { cos, sin } = rotaryTables(length, shape);
  const table = [1, length, shape.headSize];
  const tokens = (seed: number) => Int32Array.from({ length: rows * length }, (_, i) => (i * 7 + seed * 5) % 32);

  const microbatch = (seed: number, isFirst: boolean) =>
    replays.run(
      isFirst ? 'first microbatch' : 'microbatch',
      {
        ids: { values: tokens(seed), shape: [rows, length] },
        targets: { values: tokens(seed + 1), shape: [rows * length] },
        weights: { values: new Float32Array(rows * length).fill(-1 / (seed + 2)), shape: [rows, length] },
        ...{ cos: { values: cos, shape: table }, sin: { values: sin, shape: table } },
      },
      (inputs) => {
        const rotation = { cos: inputs['cos'] as tf.Tensor3D, sin: inputs['sin'] as tf.Tensor3D };
        const device = {
          ...{ shape: [rows, length] as [number, number], rotation },
          ...{ ids: inputs['ids'] as tf.Tensor2D, targets: inputs['targets'] as tf.Tensor1D },
        };
        const { value, grads } = tf.variableGrads(
          () => tf.sum(tf.mul(rowOutputs(network, device, 1).logprobs, inputs['weights'] as tf.Tensor)) as tf.Scalar,
          trained,
        );
        trained.forEach(({ name }, i) =>
          (isFirst ? copyInto : addInto)(sums[i] as tf.Tensor, grads[name] as tf.Tensor),
        );
        return [value];
      },
    );

  const numbers: number[][] = [];
  let work = counters();
  for (let step = 1; step <= 5; step++) {
    const before = counters();
    const rates = { learningRate: 0.01 * step, beta1: 0.9, beta2: 0.95, eps: 1e-8 };
    const options = { ...rates, weightDecay: trained.map(({ rank }) => 0.1 * (rank - 1)), maxGradNorm: 1, step };
    const taken = replays.together(() => [
      ...Array.from({ length: microbatches }, (_, i) => microbatch(step * microbatches + i, i === 0)),
      replays.run('optimiser', { rates: { values: adamWRates(options), shape: [9] } }, (inputs) => [
        applyAdamW(trained, sums, network, { ...options, rates: inputs['rates'] as tf.Tensor1D }).gradNorm,
      ]),
    ]);
    work = countersSince(before);
    for (const { outputs, release } of taken) {
      numbers.push(Array.from(await (outputs[0] as tf.Tensor).data()));
      release();
    }
  }
  for (const variable of [...trained, ...network.m, ...network.v]) numbers.push(Array.from(await variable.data()));
  const { note, captures } = replays;
  replays.dispose();
  tf.dispose([trained, network.m, network.v, sums]);
  return { numbers, work, note, captures };
}

it('five updates are the same with and without replay, and one update is one submission', async () => {
  const plain = await train(false);
  const { numTensors } = tf.memory();
  const replayed = await train(true);
  expect(replayed.note).toBe('');
  expect(replayed.captures).toBe(3);
  expect(replayed.numbers).toEqual(plain.numbers);
  expect(replayed.work.submits).toBe(1);
  expect(replayed.work.readbacks).toBe(0);
  expect(tf.memory().numTensors).toBe(numTensors);
});

/** The metrics of five optimiser steps, each read immediately after its step, and the counted work of the last step. */
async function stepByStep(isOn: boolean) {
  const network = uploadNetwork(freshState(initialWeights(shape, 1), shape, false), shape, isOn);
  const trained = variables(network);
  const rates = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, maxGradNorm: 1 };
  const weightDecay = trained.map(() => 0);
  const microbatch = {
    key: 'squares',
    uploads: { x: { values: Float32Array.of(0.5), shape: [] } },
    gradient: ({ x }: Record<string, tf.Tensor>) => [
      tf.mul(x as tf.Tensor, tf.ones([metricCount])),
      ...trained.map((variable) => tf.mul(variable, x as tf.Tensor)),
    ],
  };
  const numbers: number[][] = [];
  let work = counters();
  for (let step = 1; step <= 5; step++) {
    const [before, metrics] = [counters(), new StepMetrics()];
    const onTaken = (taken: tf.Tensor1D) => metrics.add(taken, true);
    await optimiserStep(network, [microbatch], {
      ...{ trained, gate: new Gate(), onTaken },
      options: { ...rates, weightDecay, step },
    });
    numbers.push(...(await metrics.read()));
    work = countersSince(before);
    metrics.dispose();
  }
  disposeNetwork(network);
  return { numbers, work };
}

it('an optimiser step with the read of its metrics is one submission', async () => {
  const plain = await stepByStep(false);
  const replayed = await stepByStep(true);
  expect(replayed.numbers).toEqual(plain.numbers);
  expect(replayed.numbers.map(({ length }) => length)).toEqual(Array(5).fill(metricCount + 1));
  expect(replayed.work).toMatchObject({ submits: 1, readbacks: 1, readBytes: 4 * (metricCount + 1) });
});
