// Tests of networks with adapters on WebGPU: the results are the same as on the CPU, and the number of launches is
// limited.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { counters } from '../../engine/counters.ts';
import { flatVariables } from '../../engine/flat.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { distance } from '../../engine/ops/testing/numbers.ts';
import { tokenLogprobs } from '../../engine/ops/tokens/tokenLogprobs.ts';
import { countersSince } from '../../engine/testing/countersSince.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import type { CapturingBackend } from '../../engine/webgpu/device/capturingBackend.ts';
import { forceVariant } from '../../engine/webgpu/program/kernel.ts';
import { decodingPolicy } from '../decoding/decoder.ts';
import { storedMatrices } from '../testing/storedMatrices.ts';
import { adaptedTree, adapterOf, adapterVariables, initialAdapters } from './adapter.ts';
import { logits, rowHiddenStates } from './llama.ts';
import { disposeTree, tensorOf, uploadFrozen, type WeightTree } from './parameters.ts';
import { rotaryTables } from './positions.ts';

let backend: CapturingBackend;

beforeAll(async () => {
  backend = await startOwnDevice();
});

const shapeOf = (numLayers: number): ModelShape => ({
  ...{ vocabSize: 40, hiddenSize: 64, intermediateSize: 96, numLayers, numHeads: 4, numKvHeads: 2, headSize: 16 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 32 },
});
const [rows, length] = [3, 7];

/**
 * Runs a function with adapters whose B is not zero, on a base whose weights are stored in the format of their file.
 */
async function adapted<T>(
  numLayers: number,
  format: 'F16' | 'Q8_0' | 'Q4_0' | 'Q4_1',
  use: (tree: WeightTree, variables: tf.Variable[], base: WeightTree) => Promise<T>,
): Promise<T> {
  const shape = shapeOf(numLayers);
  const draws = new Draws(3, 0, 0);
  const arrays = initialAdapters(shape, { rank: 4, seed: 1 }).map((array) => ({
    ...array,
    values: array.values.map(() => 0.1 * draws.normal()),
  }));
  const base = uploadFrozen(storedMatrices(shape, format), shape);
  const adapter = adapterOf(flatVariables(arrays), shape, { base, scale: 1.5 });
  const variables = adapterVariables(adapter);
  try {
    return await use(adaptedTree(adapter), variables, base);
  } finally {
    tf.dispose(variables);
    disposeTree(base);
  }
}

function loss(tree: WeightTree, shape: ModelShape): tf.Scalar {
  const ids = Array.from({ length: rows * length }, (_, i) => (i * 7 + 3) % 40);
  const { cos, sin } = rotaryTables(length, shape);
  const table = (values: Float32Array) => tf.tensor3d(values, [1, length, shape.headSize]);
  const rotation = { cos: table(cos), sin: table(sin) };
  const hidden = rowHiddenStates(tf.tensor2d(ids, [rows, length], 'int32'), { tree, shape, rotation });
  const said = tokenLogprobs(logits(hidden, tree, shape), tf.tensor1d([...ids.slice(1), 0], 'int32'), 1);
  return tf.neg(tf.mean(said.logprobs)) as tf.Scalar;
}

/** The loss, and then the gradient of each matrix A and B. */
async function learned(tree: WeightTree, variables: tf.Variable[], shape: ModelShape): Promise<number[][]> {
  const { value, grads } = lossAndGradients(() => tf.tidy(() => loss(tree, shape)), variables);
  const tensors = [value, ...variables.map(({ name }) => grads[name] as tf.Tensor)];
  const read = await Promise.all(tensors.map((one) => one.data<'float32'>()));
  tf.dispose(tensors);
  return read.map((one) => Array.from(one));
}

/**
 * The kernels without cooperating threads (“solo”) need two more launches per layer for attention, and four more for
 * products with few rows.
 */
describe.each([
  { variant: 'solo', formats: ['F16', 'Q4_1'], mostForUpdate: 26 },
  { variant: 'team', formats: ['Q4_0'], mostForUpdate: 20 },
] as const)('with the $variant kernels', ({ variant, formats, mostForUpdate }) => {
  beforeAll(() => forceVariant(backend, variant));

  it.each(formats)('adapters on %s get the same updates as on the CPU', async (format) => {
    const learn = (tree: WeightTree, variables: tf.Variable[]) => learned(tree, variables, shapeOf(2));
    await tf.setBackend('cpu');
    const expected = await adapted(2, format, learn);
    await tf.setBackend('webgpu');
    const found = await adapted(2, format, async (tree, variables, base) => {
      for (const [name, one] of base) if (!name.includes('norm')) expect('words' in one, name).toBe(true);
      return learn(tree, variables);
    });
    found.forEach((values, i) => expect(distance(values, expected[i] as number[]), String(i)).toBeLessThan(1e-4));
  });

  it('a layer takes at most 9 launches per token, and a turn is read back once', async () => {
    const turn = (window: number) => async (tree: WeightTree) => {
      const session = decodingPolicy(tree, shapeOf(tree.size > 10 ? 3 : 1)).open(rows);
      session.append(Array.from({ length: rows }, (_, row) => ({ tokens: [row, 5] })));
      const before = counters();
      const isActive = Array.from({ length: rows }, () => true);
      await session.sample({ window, isActive, addresses: Uint32Array.of(1, 2, 3), temperature: 1, endIds: [] });
      session.dispose();
      return countersSince(before);
    };
    const spent = async (layers: number, window: number) => adapted(layers, 'Q8_0', turn(window));
    const step = async (layers: number) => (await spent(layers, 5)).dispatches - (await spent(layers, 4)).dispatches;
    const each = ((await step(3)) - (await step(1))) / 2;
    expect(each).toBeGreaterThan(0);
    expect(each).toBeLessThanOrEqual(9);
    expect((await spent(1, 4)).readbacks).toBe(1);
  });

  it(`a layer takes at most ${mostForUpdate} launches for an update`, async () => {
    const spent = (layers: number) =>
      adapted(layers, 'Q4_1', async (tree, variables) => {
        await learned(tree, variables, shapeOf(layers));
        const before = counters();
        const { value, grads } = lossAndGradients(() => tf.tidy(() => loss(tree, shapeOf(layers))), variables);
        tf.dispose([value, grads]);
        return countersSince(before).dispatches;
      });
    const each = ((await spent(3)) - (await spent(1))) / 2;
    expect(each).toBeGreaterThan(10);
    expect(each).toBeLessThanOrEqual(mostForUpdate);
  });
});

it('a base takes no more bytes on the device than in its file', async () => {
  await adapted(2, 'Q4_1', async (_, __, base) => {
    const stored = storedMatrices(shapeOf(2), 'Q4_1').reduce((sum, { bytes }) => sum + bytes.length, 0);
    const held = [...base.values()].reduce((sum, one) => sum + ('base' in one ? 0 : 4 * tensorOf(one).size), 0);
    expect(held).toBeLessThanOrEqual(stored + 4 * base.size);
    await Promise.resolve();
  });
});
