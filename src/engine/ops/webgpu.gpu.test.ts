// Tests both variants of the fused WebGPU kernels against float64, and against the composed forms on the CPU.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { adamWRates, applyAdamW } from './adamW/adamW.ts';
import { opCases } from './testing/cases.ts';
import { normals } from './testing/numbers.ts';
import { type OpCase, evaluate } from './testing/opCase.ts';
import { fiveSteps, heldOver } from './testing/updates.ts';
import { causalAttention, causalAttentionComposed } from './attention/causalAttention.ts';
import { embed, embedComposed } from './embed/embed.ts';
import { runKernels } from './kernel.ts';
import { linear } from './linear/linear.ts';
import { type Numbers, differences, distance } from './testing/numbers.ts';
import { sampleReference } from './tokens/testing/reference.ts';
import { addNorm, addNormComposed, rmsNorm, rmsNormComposed } from './norm/rmsNorm.ts';
import { sampleTokens } from './tokens/sampleTokens.ts';
import { expectTop, topCases } from './tokens/testing/topCases.ts';
import { topTokens } from './tokens/topTokens.ts';
import { geGlu, geGluComposed } from './geGlu/geGlu.ts';
import { swiGlu, swiGluComposed } from './swiGlu/swiGlu.ts';
import { tokenLogprobs, tokenLogprobsComposed } from './tokens/tokenLogprobs.ts';
import { chooseVariant, forceVariant } from '../webgpu/program/kernel.ts';
import { gpuBackend, poisonBuffers, random, randomRotation } from '../testing/gpuBackend.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

afterEach(async () => {
  await tf.setBackend('webgpu');
});

const numbers = (shapes: number[][]) => shapes.map((shape, i) => normals(tf.util.sizeFromShape(shape), 31 + i));
const ids = (count: number, vocabulary: number) =>
  tf.tensor1d(
    Int32Array.from({ length: count }, (_, i) => (i * 7 + 3) % vocabulary),
    'int32',
  );

type Wide = Pick<OpCase, 'title' | 'shapes' | 'shipped' | 'composed'>;

/** These sizes are larger than a workgroup, than a tile of keys, or than the number of lanes in a workgroup. */
const wideCases: Wide[] = [
  {
    title: 'rmsNorm [70, 130]',
    shapes: [[70, 130], [130]],
    shipped: ([x, gain]) => rmsNorm(x as tf.Tensor2D, gain as tf.Tensor1D, 1e-5),
    composed: ([x, gain]) => rmsNormComposed(x as tf.Tensor2D, gain as tf.Tensor1D, 1e-5),
  },
  ...[false, true].map((isLast): Wide => {
    const run = (op: typeof addNorm) => (tensors: tf.Tensor[]) => {
      const [x, delta, gain] = tensors as [tf.Tensor2D, tf.Tensor2D, tf.Tensor1D];
      const { sum, normed } = op({ x, delta, gain, eps: 1e-5, isLast });
      return isLast ? normed : tf.concat([sum, normed]);
    };
    return {
      title: `addNorm [70, 132]${isLast ? ', the last' : ''}`,
      shapes: [[70, 132], [70, 132], [132]],
      shipped: run(addNorm),
      composed: run(addNormComposed),
    };
  }),
  {
    title: 'swiGlu far from zero',
    shapes: [[9, 62]],
    shipped: ([x]) => swiGlu(tf.mul(x as tf.Tensor2D, 200)),
    composed: ([x]) => swiGluComposed(tf.mul(x as tf.Tensor2D, 200)),
  },
  {
    title: 'geGlu far from zero',
    shapes: [[9, 62]],
    shipped: ([x]) => geGlu(tf.mul(x as tf.Tensor2D, 200)),
    composed: ([x]) => geGluComposed(tf.mul(x as tf.Tensor2D, 200)),
  },
  {
    title: 'embed [150, 9, 12]',
    shapes: [[9, 12]],
    shipped: ([table]) => embed(ids(150, 9), table as tf.Tensor2D),
    composed: ([table]) => embedComposed(ids(150, 9), table as tf.Tensor2D),
  },
  {
    title: 'tokenLogprobs [5, 130]',
    shapes: [[5, 130]],
    shipped: ([x]) => bothOf(tokenLogprobs(x as tf.Tensor2D, ids(5, 130), 0.6)),
    composed: ([x]) => bothOf(tokenLogprobsComposed(x as tf.Tensor2D, ids(5, 130), 0.6)),
  },
  ...[
    [150, 20, 12],
    [2, 4, 4],
    [67, 132, 8],
    [3, 300, 8],
    [70, 8, 1000],
  ].map(([rows, inner, outs]): Wide => ({
    title: `linear [${String([rows, inner, outs])}]`,
    shapes: [
      [rows as number, inner as number],
      [outs as number, inner as number],
    ],
    shipped: ([x, w]) => linear(x as tf.Tensor2D, w as tf.Tensor2D),
    composed: ([x, w]) => tf.matMul(x as tf.Tensor2D, w as tf.Tensor2D, false, true),
  })),
  ...[
    { length: 150, size: 4, isMasked: true },
    { length: 66, size: 6, isMasked: false },
    { length: 70, size: 12, isMasked: true },
    { length: 6, size: 40, isMasked: true },
    { length: 3, size: 132, isMasked: true },
    { length: 150, size: 8, isMasked: true, window: 67 },
    { length: 150, size: 10, isMasked: false, window: 3 },
    { length: 70, size: 256, isMasked: true },
    { length: 70, size: 136, isMasked: false, window: 5 },
  ].map(({ length, size, isMasked, window }): Wide => {
    const inputs = ([qkv]: tf.Tensor[]) => {
      const keyMask = tf.cast(tf.greater(random([2, length], 3), -0.4), 'float32') as tf.Tensor2D;
      const mask = { keyMask: isMasked ? keyMask : undefined };
      return { qkv: qkv as tf.Tensor2D, ...randomRotation([1, length, size]), heads: 4, keyHeads: 2, ...mask, window };
    };
    return {
      title: `causalAttention of ${String(length)} positions, heads of ${String(size)}${window === undefined ? '' : `, window ${String(window)}`}`,
      shapes: [[2 * length, 8 * size]],
      shipped: (tensors) => causalAttention(inputs(tensors)),
      composed: (tensors) => causalAttentionComposed(inputs(tensors)),
    };
  }),
];

function bothOf({ logprobs, entropy }: { logprobs: tf.Tensor1D; entropy: tf.Tensor1D }): tf.Tensor {
  return tf.concat([logprobs, entropy]);
}

/**
 * The expected values and slopes of each case, in float64. They are kept, because they are the same for both variants.
 */
const expectations = new Map<string, { output: Numbers; slopes: Numbers[] }>();
function expectationOf({ title, shapes, reference }: OpCase) {
  const known = expectations.get(title);
  if (known) return known;
  const values = numbers(shapes);
  const output = reference(values);
  const weights = normals(output.length, 5);
  const moved = (at: number) => (x: Numbers) => reference(values.map((other, i) => (i === at ? x : other)));
  const found = { output, slopes: values.map((own, at) => differences(moved(at), own, weights)) };
  expectations.set(title, found);
  return found;
}

describe.each(['solo', 'team'] as const)('the %s kernels, over poisoned buffers,', (variant) => {
  beforeAll(() => {
    forceVariant(backend, variant);
    return poisonBuffers(backend);
  });

  it.each(opCases())('$title: float64, its gradient: finite differences', async (given) => {
    const { output, gradients } = await evaluate(given.shipped, given.shapes, numbers(given.shapes));
    const expected = expectationOf(given);
    expect(distance(output, expected.output)).toBeLessThan(1e-4);
    expect(gradients).toHaveLength(expected.slopes.length);
    expected.slopes.forEach((slopes, at) => expect(distance(gradients[at] as Float32Array, slopes)).toBeLessThan(1e-4));
  });

  it.each(wideCases)('$title: as composed on the CPU, gradient too', async ({ shapes, shipped, composed }) => {
    const values = numbers(shapes);
    const actual = await evaluate(shipped, shapes, values);
    await tf.setBackend('cpu');
    const expected = await evaluate(composed, shapes, values);
    expect(distance(actual.output, expected.output)).toBeLessThan(1e-4);
    actual.gradients.forEach((gradient, i) => {
      expect(distance(gradient, expected.gradients[i] as Float32Array)).toBeLessThan(1e-4);
    });
  });

  it.each([9, 200])('sampleTokens of %d tokens draws those of float64', async (vocabulary) => {
    const logits = normals(40 * vocabulary, 2);
    const uniforms = Float32Array.from({ length: 40 }, (_, i) => (i + 0.5) / 40);
    const table = tf.tensor2d(Float32Array.from(logits), [40, vocabulary]);
    const drawn = sampleTokens(table, tf.tensor1d(uniforms), 0.8);
    const expected = sampleReference(logits, uniforms, vocabulary, 0.8);
    expect(Array.from(await drawn.ids.data())).toEqual(expected);
    const { logprobs } = tokenLogprobs(table, tf.tensor1d(expected, 'int32'), 0.8);
    expect(distance(await drawn.logprobs.data(), await logprobs.data())).toBeLessThan(1e-6);
  });

  it.each(topCases)('topTokens of %d rows of %d tokens, the first %d at %d', async (...one) => {
    await expectTop(topTokens, one);
  });

  it('applyAdamW agrees with the composed update over five steps, and each step uses its own rates', async () => {
    const actual = await tf.tidy(fiveSteps).data();
    await tf.setBackend('cpu');
    expect(distance(actual, tf.tidy(fiveSteps).dataSync())).toBeLessThan(1e-5);
  });
});

describe('the optimiser step in place', () => {
  const options = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: [0], maxGradNorm: 1 };
  const zeros = () => [tf.tidy(() => tf.variable(tf.tensor1d([0, 0])))];
  const start = () => tf.tidy(() => tf.variable(tf.tensor1d([1, 2])));

  it('keeps the buffer, and a read after it sees the new numbers', async () => {
    const variable = start();
    await variable.data();
    const { dataId } = variable;
    applyAdamW([variable], [tf.tensor1d([1, 1])], { m: zeros(), v: zeros() }, { ...options, step: 1 });
    expect(variable.dataId).toBe(dataId);
    expect((await variable.data())[0]).toBeCloseTo(0.9, 5);
  });

  it('takes its rates from a tensor where one is given, as a captured step needs it', async () => {
    const [variable, grad, m, v] = [start(), tf.tensor1d([1, 1]), zeros()[0], zeros()[0]];
    const tensors = { 0: variable, 1: grad, 2: m as tf.Tensor, 3: v as tf.Tensor };
    const rates = tf.tensor1d(adamWRates({ ...options, learningRate: 0.5, step: 1 }));
    const outputs = runKernels('AdamW', { ...tensors, rates }, { ...options, learningRate: 9, step: 7 });
    expect((await (outputs[1] as tf.Tensor).data())[0]).toBeCloseTo(0.5, 5);
    expect(rates.isDisposed).toBe(false);
    expect(Array.from(await rates.data())).toHaveLength(9);
    tf.dispose(outputs);
  });

  it('leaves a clone taken before it as it was', async () => {
    const variable = start();
    const before = tf.clone(variable);
    applyAdamW([variable], [tf.tensor1d([1, 1])], { m: zeros(), v: zeros() }, { ...options, step: 1 });
    expect(Array.from(await before.data())).toEqual([1, 2]);
    expect((await variable.data())[0]).toBeCloseTo(0.9, 5);
  });
});

it.each(['solo', 'team'] as const)('tensors and bytes stay constant over updates (%s)', async (variant) => {
  forceVariant(backend, variant);
  const bytes = () => (tf.memory() as unknown as { numBytesInGPU: number }).numBytesInGPU;
  const [second, last] = await heldOver(3, () => [tf.memory().numTensors, bytes()]);
  expect(last).toEqual(second);
});

it('a software adapter gets the kernels without barriers, a graphics processor the teams', () => {
  const device = (info: Partial<GPUAdapterInfo>) => ({ adapterInfo: info }) as GPUDevice;
  expect(chooseVariant(device({ vendor: 'google', architecture: 'swiftshader', isFallbackAdapter: true }))).toBe(
    'solo',
  );
  expect(chooseVariant(device({ vendor: 'mesa', description: 'llvmpipe (LLVM 19)' }))).toBe('solo');
  expect(chooseVariant(device({ vendor: 'nvidia', architecture: 'hopper', isFallbackAdapter: false }))).toBe('team');
});
