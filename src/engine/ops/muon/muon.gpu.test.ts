// Tests Muon on WebGPU: its steps equal those in float64, and replayed steps give the same bits as steps without
// replay.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { flatVariables } from '../../flat.ts';
import { Replays } from '../../replay.ts';
import { startOwnDevice } from '../../testing/ownDevice.ts';
import { distance } from '../testing/numbers.ts';
import { applyMuon, muonRates } from './muon.ts';
import { fourSteps, muonInFloat64, type MatrixRows } from './testing/reference.ts';

beforeAll(() => startOwnDevice());

/** The matrices after four steps, as one list of numbers. */
async function stepped(isReplayed: boolean): Promise<{ weights: Float32Array[]; captures: number }> {
  const arrays = fourSteps.start.map((matrix) => ({
    shape: [matrix.length, (matrix[0] as number[]).length],
    values: Float32Array.from(matrix.flat()),
  }));
  const variables = flatVariables(arrays);
  const m = flatVariables(arrays.map(({ shape, values }) => ({ shape, values: values.map(() => 0) })));
  const replays = new Replays(isReplayed);
  fourSteps.grads.forEach((grads, step) => {
    const uploads = Object.fromEntries(
      grads.map((matrix, i) => [
        `g${i}`,
        { values: Float32Array.from(matrix.flat()), shape: variables[i]?.shape as number[] },
      ]),
    );
    const rates = { values: muonRates({ rate: 0.01 * (step + 1), weightDecay: 0.1 }), shape: [2] };
    const compute = (inputs: Record<string, tf.Tensor>) => [
      applyMuon(variables, {
        grads: grads.map((_, i) => inputs[`g${i}`] as tf.Tensor),
        m,
        rates: inputs['rates'] as tf.Tensor1D,
      }),
    ];
    replays.run('muon', { ...uploads, rates }, compute).release();
  });
  const weights = await Promise.all(variables.map((variable) => variable.data<'float32'>()));
  const { captures } = replays;
  replays.dispose();
  tf.dispose([...variables, ...m]);
  return { weights, captures };
}

it('four steps are those of float64, recorded and replayed as when each is run', async () => {
  const [expected] = muonInFloat64(fourSteps);
  const run = await stepped(false);
  expected.forEach((matrix: MatrixRows, i) => {
    expect(distance(run.weights[i] ?? [], matrix.flat())).toBeLessThan(1e-4);
  });
  const replayed = await stepped(true);
  expect([run.captures, replayed.captures]).toEqual([0, 1]);
  expect(replayed.weights).toEqual(run.weights);
});
