import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyAdamW } from './adamW/adamW.ts';
import { normals } from './testing/numbers.ts';
import { evaluate } from './testing/opCase.ts';
import { fiveSteps, heldOver } from './testing/updates.ts';
import { causalAttention, causalAttentionComposed } from './attention/causalAttention.ts';
import { embed } from './embed/embed.ts';
import { distance } from './testing/numbers.ts';
import { sampleReference } from './tokens/testing/reference.ts';
import { sampleTokens } from './tokens/sampleTokens.ts';
import { swiGlu } from './swiGlu/swiGlu.ts';
import { registerSimd, simdName } from '../simd.ts';
import { Heap } from '../simd/heap.ts';
import { SimdBackend } from '../simd/simdBackend.ts';
import { poisonNewBlocks } from '../testing/poisonNewBlocks.ts';

let backend: SimdBackend;

beforeAll(async () => {
  const bytes = await readFile(new URL('../simd/kernels.wasm', import.meta.url)).catch(() => {
    throw new Error('kernels.wasm is missing: run `node scripts/buildSimd.mjs` first.');
  });
  expect(await registerSimd(bytes)).toBe(true);
  await tf.setBackend(simdName);
  backend = tf.backend() as SimdBackend;
  poisonNewBlocks(backend);
});

afterEach(async () => {
  await tf.setBackend(simdName);
});

function random(shape: number[], seed: number): tf.Tensor {
  return tf.tensor(Float32Array.from(normals(tf.util.sizeFromShape(shape), seed)), shape);
}

/** Runs the same computation on the cpu backend of TensorFlow.js and on the backend `simd`. */
async function onBoth(run: () => tf.Tensor): Promise<[Float32Array, Float32Array]> {
  await tf.setBackend('cpu');
  const expected = tf.tidy(() => run().dataSync() as Float32Array);
  await tf.setBackend(simdName);
  return [tf.tidy(() => run().dataSync() as Float32Array), expected];
}

describe('a kernel that throws', () => {
  const refuse = () => {
    throw new Error('a part failed');
  };

  it('frees its scratch memory', () => {
    const { usedBytes } = backend.heap;
    expect(() => backend.withScratch(100, refuse)).toThrow('a part failed');
    expect(backend.heap.usedBytes).toBe(usedBytes);
  });

  it('frees its output, which nothing else references', () => {
    const [a, b] = [random([8, 8], 1), random([8, 8], 2)];
    tf.tidy(() => tf.matMul(a, b)); // takes both into the memory
    const { usedBytes } = backend.heap;
    const scratch = vi.spyOn(backend, 'withScratch').mockImplementation(refuse); // as where no room is left for it
    expect(() => tf.matMul(a, b)).toThrow('a part failed');
    scratch.mockRestore();
    expect(backend.heap.usedBytes).toBe(usedBytes);
    tf.dispose([a, b]);
  });
});

describe('the fused kernels', () => {
  it('causalAttention computes the shares again if rows are too long to keep them', async () => {
    const [length, size] = [525, 4];
    const run = async () => {
      const tables = [3, 4].map((seed) => random([1, length, size / 2], seed));
      const [cos, sin] = [tf.cos(tables[0] as tf.Tensor), tf.sin(tables[0] as tf.Tensor)].map((half) =>
        tf.concat([half, half], 2),
      ) as [tf.Tensor3D, tf.Tensor3D];
      const op = tf.getBackend() === simdName ? causalAttention : causalAttentionComposed;
      const attend = ([qkv]: tf.Tensor[]) => op({ qkv: qkv as tf.Tensor2D, heads: 2, keyHeads: 1, cos, sin });
      return evaluate(attend, [[length, 4 * size]], [normals(length * 4 * size, 5)]);
    };
    const ours = await run();
    await tf.setBackend('cpu');
    const stock = await run();
    expect(distance(ours.output, stock.output)).toBeLessThan(1e-5);
    expect(distance(ours.gradients[0] as Float32Array, stock.gradients[0] as Float32Array)).toBeLessThan(1e-5);
  });

  it('a NaN is not lost on the way through the shorter exponential', () => {
    const [cos, sin] = [tf.ones([1, 5, 4]), tf.zeros([1, 5, 4])] as [tf.Tensor3D, tf.Tensor3D];
    const spoilt = (columns: number) => {
      const values = Float32Array.from(normals(5 * columns, 3));
      values[2 * columns] = NaN;
      return tf.tensor2d(values, [5, columns]);
    };
    const isRowSpoilt = (y: tf.Tensor) => Array.from(tf.any(tf.isNaN(y), 1).dataSync(), Boolean);
    expect(isRowSpoilt(swiGlu(spoilt(6)))).toEqual([false, false, true, false, false]);
    const y = causalAttention({ qkv: spoilt(12), heads: 1, keyHeads: 1, cos, sin });
    expect(isRowSpoilt(y)).toEqual([false, false, true, false, false]);
  });

  it('sampleTokens draws the tokens of the float64 reference', () => {
    const logits = normals(40 * 9, 2);
    const uniforms = Float32Array.from({ length: 40 }, (_, i) => (i + 0.5) / 40);
    const { ids } = sampleTokens(tf.tensor2d(Float32Array.from(logits), [40, 9]), tf.tensor1d(uniforms), 0.8);
    expect(Array.from(ids.dataSync())).toEqual(sampleReference(logits, uniforms, 9, 0.8));
  });

  it('integers that are named floats are read as their numbers, and stay integers to who reads them as such', () => {
    const ids = tf.tensor1d([3, 0, 2], 'int32');
    const floats = tf.cast(ids, 'float32');
    const rows = (at: tf.Tensor1D) => Array.from(embed(at, tf.reshape(floats, [3, 1]) as tf.Tensor2D).dataSync());
    expect(rows(tf.tensor1d([0, 2, 1, 0], 'int32'))).toEqual([3, 2, 0, 3]);
    expect(Array.from(embed(ids, tf.tensor2d([[5], [6], [7], [8]])).dataSync())).toEqual([8, 5, 7]);
    // Tensors that a kernel has produced are already in the kernels' memory.
    const drawn = sampleTokens(tf.tensor2d([[-99, -99, 99]]), tf.tensor1d([0.5]), 1).ids;
    const asFloat = tf.reshape(tf.cast(drawn, 'float32'), [1, 1]) as tf.Tensor2D;
    expect(Array.from(embed(tf.tensor1d([0], 'int32'), asFloat).dataSync())).toEqual([2]);
  });

  it('an id outside the table is an error that names it', () => {
    const ids = tf.tensor1d([0, 5], 'int32');
    expect(() => embed(ids, tf.ones([4, 3]))).toThrow(/ids\[1\] must be in \[0, 4\), got 5/);
  });

  it('applyAdamW agrees with the composed update over five steps, and each step uses its own rates', async () => {
    const [actual, expected] = await onBoth(fiveSteps);
    expect(distance(actual, expected)).toBeLessThan(1e-5);
  });
});

describe('the overridden stock kernels', () => {
  const operations: Record<string, () => tf.Tensor> = {
    'matMul, batched': () => tf.matMul(random([3, 5, 7], 1), random([3, 7, 9], 2)),
    'matMul, first transposed': () => tf.matMul(random([3, 7, 5], 1), random([3, 7, 9], 2), true),
    'matMul, second transposed': () => tf.matMul(random([3, 5, 7], 1), random([3, 9, 7], 2), false, true),
    'matMul, both transposed': () => tf.matMul(random([7, 5], 1), random([9, 7], 2), true, true),
    'matMul, one matrix for a batch': () => tf.matMul(random([3, 5, 7], 1), random([1, 7, 9], 2)),
    'matMul, deeper than one block': () => tf.matMul(random([600, 13], 1), random([600, 17], 2), true),
    'matMul, wider than one block': () => tf.matMul(random([9, 270], 1), random([270, 530], 2)),
    'matMul, wider than one block, second transposed': () =>
      tf.matMul(random([9, 270], 1), random([530, 270], 2), false, true),
    'matMul, a few long rows': () => tf.matMul(random([7, 577], 1), random([61, 577], 2), false, true),
    'add, a row to a matrix': () => tf.add(random([6, 7], 1), random([7], 2)),
    'sub, a matrix from a scalar': () => tf.sub(tf.scalar(2), random([6, 7], 2)),
    'mul, one number for each row': () => tf.mul(random([6, 7], 1), random([6, 1], 2)),
    'div, one number for each row above': () => tf.div(random([6, 1], 1), random([6, 7], 2)),
    'maximum, equal shapes': () => tf.maximum(random([6, 7], 1), random([6, 7], 2)),
    'minimum, a middle axis broadcast': () => tf.minimum(random([4, 3, 5], 1), random([4, 1, 5], 2)),
    'add, both operands broadcast': () => tf.add(random([6, 1], 1), random([1, 7], 2)),
    'exp over its range': () => tf.exp(tf.linspace(-100, 80, 4001)),
    'exp near zero': () => tf.exp(tf.linspace(-0.5, 0.5, 1001)),
    log: () => tf.log(tf.linspace(0.001, 50, 999)),
    'neg of square': () => tf.neg(tf.square(random([13], 1))),
    sqrt: () => tf.sqrt(tf.square(random([13], 1))),
    'sum of all': () => tf.sum(random([37, 5], 1)),
    'sum of the last axis, kept': () => tf.sum(random([3, 4, 5], 1), 2, true),
    'sum of the first axis': () => tf.sum(random([3, 4], 1), 0),
    softmax: () => tf.softmax(random([5, 7], 1)),
    'transpose of a matrix': () => tf.transpose(random([9, 14], 1)),
    'transpose of heads': () => tf.transpose(random([2, 5, 3, 4], 1), [0, 2, 1, 3]),
    'transpose that reverses': () => tf.transpose(random([2, 5, 3], 1), [2, 1, 0]),
    'slice of the last axis': () => tf.slice(random([2, 3, 4, 6], 1), [0, 0, 0, 3], [2, 3, 4, 3]),
    'slice of several axes': () => tf.slice(random([4, 5, 6, 3], 1), [1, 2, 1, 0], [2, 2, 3, 3]),
    'slice of the first axis': () => tf.slice(random([4, 5], 1), [1, 0], [2, 5]),
    'slice of everything': () => tf.slice(random([4, 5], 1), [0, 0], [4, 5]),
    'concat along the middle': () => tf.concat([random([3, 2, 4], 1), random([3, 5, 4], 2)], 1),
    'concat with an empty part': () => tf.concat([random([3, 0, 4], 1), random([3, 5, 4], 2)], 1),
    'gather of rows': () => tf.gather(random([6, 5], 1), tf.tensor1d([5, 0, 5, 2], 'int32')),
  };
  for (const [title, run] of Object.entries(operations))
    it(`${title} agrees with the stock kernel`, async () => {
      const [actual, expected] = await onBoth(run);
      expect(distance(actual, expected)).toBeLessThan(2e-6);
    });

  it('exp has a relative error below 2e-7, is 0 far below and Infinity far above', () => {
    const x = Float32Array.from({ length: 20001 }, (_, i) => -86.5 + (i * 175) / 20000);
    const y = tf.exp(tf.tensor1d(x)).dataSync();
    expect(Math.max(...x.map((value, i) => Math.abs((y[i] as number) / Math.exp(value) - 1)))).toBeLessThan(2e-7);
    expect(Array.from(tf.exp(tf.tensor1d([-1e9, -Infinity, 1e9, NaN, 0])).dataSync())).toEqual([
      0,
      0,
      Infinity,
      NaN,
      1,
    ]);
  });
});

describe('the storage', () => {
  it('a read is a copy of its own', async () => {
    const x = tf.add(tf.tensor1d([1, 2]), tf.scalar(1));
    for (const read of [x.dataSync(), await x.data()]) {
      expect(read.buffer.byteLength).toBe(8);
      read[0] = 99;
    }
    expect(Array.from(x.dataSync())).toEqual([2, 3]);
  });

  it('reaches beyond 2 GiB, where an address has its highest bit set', async (context) => {
    const farBytes = 2.25 * 2 ** 30;
    if (backend.heap.end < farBytes + 2 ** 28) context.skip('less memory was granted');
    const run = () => {
      const [x, w] = [random([19, 300], 1), random([310, 300], 2)];
      const few = tf.slice(x, [2, 0], [3, 300]);
      const products = [tf.matMul(x, w, false, true), tf.matMul(few, w, false, true), tf.matMul(few, tf.transpose(w))];
      if (tf.getBackend() === simdName)
        for (const tensor of [few, ...products]) expect(backend.address(tensor)).toBeGreaterThan(farBytes);
      return tf.concat([...products, tf.softmax(tf.tanh(products[0] as tf.Tensor))]);
    };
    const [far, { free }] = [new Heap(farBytes, backend.heap.end), backend.heap];
    vi.spyOn(backend.heap, 'allocate').mockImplementation((bytes) => far.allocate(bytes));
    vi.spyOn(backend.heap, 'free').mockImplementation((at) => {
      if (at < farBytes) free.call(backend.heap, at);
      else far.free(at);
    });
    const [actual, expected] = await onBoth(run).finally(() => vi.restoreAllMocks());
    expect(distance(actual, expected)).toBeLessThan(2e-6);
  });

  it('a contiguous slice outlives its source', () => {
    const source = tf.cast(tf.add(tf.tensor1d([1, 2, 3, 4]), tf.scalar(0)), 'int32');
    backend.address(source);
    const part = tf.slice(source, [1], [2]);
    source.dispose();
    backend.allocate([4], 'int32');
    expect(Array.from(part.dataSync())).toEqual([2, 3]);
  });

  it('a clone keeps its values when the variable it was taken from is updated', () => {
    const variable = tf.variable(tf.tensor1d([1, 2]));
    const before = tf.clone(variable);
    const zeros = () => [tf.variable(tf.tensor1d([0, 0]))];
    const rates = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: [0], maxGradNorm: 1, step: 1 };
    applyAdamW([variable], [tf.tensor1d([1, 1])], { m: zeros(), v: zeros() }, rates);
    expect(Array.from(before.dataSync())).toEqual([1, 2]);
    expect(variable.dataSync()[0]).toBeCloseTo(0.9, 5);
  });

  it('an update writes where variables and moments lie, and makes no copy of them', () => {
    const all = [1, 2, 3].map((seed) => tf.variable(tf.tidy(() => tf.square(random([5, 3], seed)))));
    const [variable, m, v] = all as [tf.Variable, tf.Variable, tf.Variable];
    const grad = random([5, 3], 4);
    const rates = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: [0], maxGradNorm: 1 };
    const update = (step: number) => {
      applyAdamW([variable], [grad], { m: [m], v: [v] }, { ...rates, step }).gradNorm.dispose();
      return all.map((tensor) => backend.address(tensor));
    };
    update(1); // the tensors the variables were made of still share their numbers here
    const places = update(2);
    const [before, bytes] = [variable.dataSync(), backend.heap.usedBytes];
    expect(update(3)).toEqual(places);
    expect(backend.heap.usedBytes).toBe(bytes);
    expect(variable.dataSync()).not.toEqual(before);
  });

  it('tensors and bytes stay constant over updates', async () => {
    const [second, last] = await heldOver(4, () => [tf.memory().numTensors, backend.heap.usedBytes]);
    expect(last).toEqual(second);
  });
});
