import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import { scalar } from '../../engine/ops/constants.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import {
  adaptedTree,
  adapterNames,
  adapterOf,
  adapterVariables,
  downloadAdapters,
  expectAdapters,
  initialAdapters,
  type Adapter,
} from './adapter.ts';
import { packArrays } from './packing.ts';
import {
  disposeTree,
  downloadTree,
  initialWeights,
  project,
  uploadTree,
  weight,
  type ParameterTree,
  type WeightTree,
} from './parameters.ts';

beforeAll(async () => {
  await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)));
  await tf.setBackend(simdName);
  scalar(1.5); // it stays
});

const shape: ModelShape = {
  ...{ vocabSize: 32, hiddenSize: 16, intermediateSize: 24, numLayers: 2, numHeads: 2, numKvHeads: 1, headSize: 8 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 16 },
};

describe('adapters of a network', () => {
  it('are one pair for each packed projection of each layer', () => {
    const names = adapterNames(shape, 3);
    expect(names).toHaveLength(2 * 2 * 4);
    expect(names.slice(0, 8)).toEqual([
      { name: 'lora.model.layers.0.self_attn.qkv_proj.A', shape: [3, 16] },
      { name: 'lora.model.layers.0.self_attn.qkv_proj.B', shape: [32, 3] },
      { name: 'lora.model.layers.0.self_attn.o_proj.A', shape: [3, 16] },
      { name: 'lora.model.layers.0.self_attn.o_proj.B', shape: [16, 3] },
      { name: 'lora.model.layers.0.mlp.gate_up_proj.A', shape: [3, 16] },
      { name: 'lora.model.layers.0.mlp.gate_up_proj.B', shape: [48, 3] },
      { name: 'lora.model.layers.0.mlp.down_proj.A', shape: [3, 24] },
      { name: 'lora.model.layers.0.mlp.down_proj.B', shape: [16, 3] },
    ]);
  });

  it('start with B = 0 and with A from the seed, different for every network', () => {
    const first = initialAdapters(shape, { rank: 4, seed: 1 });
    for (const { name, values } of first) expect(values.some((x) => x !== 0)).toBe(name.endsWith('.A'));
    expect(initialAdapters(shape, { rank: 4, seed: 1 })).toEqual(first);
    expect(initialAdapters(shape, { rank: 4, seed: 2 })).not.toEqual(first);
    expect(initialAdapters(shape, { rank: 4, seed: 1, network: 1 })[0]?.values).not.toEqual(first[0]?.values);
    const spread = Math.hypot(...(first[0]?.values ?? [])) / Math.sqrt(4 * 16);
    expect(spread * 4).toBeGreaterThan(0.7);
    expect(spread * 4).toBeLessThan(1.3);
  });

  it('that do not fit the network are refused by name', () => {
    const fitting = initialAdapters(shape, { rank: 4, seed: 1 });
    expect(expectAdapters(fitting, shape)).toEqual(fitting);
    expect(() => expectAdapters(fitting.slice(1), shape)).toThrow('expected lora.model.layers.0.self_attn.qkv_proj.A');
    expect(() => expectAdapters(fitting, { ...shape, hiddenSize: 32 })).toThrow('qkv_proj.A [4, 32], got');
    expect(() => expectAdapters([...fitting, fitting[0]!], shape)).toThrow('expected nothing, got');
  });
});

describe('a tree with adapters', () => {
  const lively = () => {
    const draws = new Draws(3, 0, 0);
    return initialAdapters(shape, { rank: 4, seed: 1 }).map((array) => ({
      ...array,
      values: array.values.map(() => 0.3 * draws.normal()),
    }));
  };

  async function withTree<T>(
    arrays: ReturnType<typeof initialAdapters>,
    use: (parts: { base: ParameterTree; adapter: Adapter; tree: WeightTree }) => Promise<T>,
  ): Promise<T> {
    const { numTensors } = tf.memory();
    const base = uploadTree(initialWeights(shape, 7), shape, { isFrozen: true });
    const adapter = adapterOf(flatVariables(arrays), shape, { base, scale: 1.5 });
    const out = await use({ base, adapter, tree: adaptedTree(adapter) });
    tf.dispose(adapterVariables(adapter));
    disposeTree(base);
    expect(tf.memory().numTensors).toBe(numTensors);
    return out;
  }

  it('computes exactly like its base if B is zero, and shares all weights of the base', async () => {
    await withTree(initialAdapters(shape, { rank: 4, seed: 1 }), async ({ base, tree }) => {
      expect([...tree.keys()]).toEqual([...base.keys()]);
      for (const [name, variable] of base) expect(weight(tree, name)).toBe(variable);
      expect(await downloadTree(tree, shape)).toEqual(await downloadTree(base, shape));
      for (const name of base.keys()) {
        if (!name.includes('_proj')) continue;
        const input = weight(base, name).shape[1] as number;
        const [ours, theirs] = tf.tidy(() => {
          const x = tf.tensor2d(
            Float32Array.from({ length: 3 * input }, (_, i) => Math.sin(i)),
            [3, input],
          );
          return [tree, base].map((each) => project(x, each, name).dataSync());
        }) as [tf.TypedArray, tf.TypedArray];
        expect(ours, name).toEqual(theirs);
      }
    });
  });

  it('computes with W + (α/r)·B·A, and is downloaded as this sum', async () => {
    await withTree(lively(), async ({ base, adapter, tree }) => {
      const handed = new Map(packArrays(await downloadTree(tree, shape), shape).map((array) => [array.name, array]));
      for (const [name, pair] of adapter.pairs) {
        const [w, a, b] = [base.get(name) as tf.Tensor, pair.a, pair.b].map((x) => Array.from(x.dataSync()));
        const [out, input] = weight(base, name).shape as [number, number];
        const exact = Float64Array.from({ length: out * input }, (_, at) => {
          const [o, i] = [Math.floor(at / input), at % input];
          let sum = w![at]!;
          for (let r = 0; r < 4; r++) sum += 1.5 * b![o * 4 + r]! * a![r * input + i]!;
          return sum;
        });
        expect(furthest(handed.get(name)!.values, exact), name).toBeLessThan(1e-6);
        // The projection of row i of the identity matrix is column i of the weight matrix.
        const columns = tf.tidy(() => project(tf.eye(input), tree, name).dataSync());
        const read = Float64Array.from(exact, (_, at) => columns[(at % input) * out + Math.floor(at / input)]!);
        expect(furthest(read, exact), name).toBeLessThan(2e-6);
      }
    });
  });

  it('follows its adapters, does not change its base, and returns the adapters unchanged', async () => {
    await withTree(initialAdapters(shape, { rank: 4, seed: 1 }), async ({ base, adapter, tree }) => {
      const before = await downloadTree(base, shape);
      lively().forEach(({ values, shape: dimensions }, i) =>
        tf.tidy(() => adapterVariables(adapter)[i]?.assign(tf.tensor(values, dimensions))),
      );
      expect(await downloadTree(tree, shape)).not.toEqual(before);
      expect(await downloadTree(base, shape)).toEqual(before);
      expect(await downloadAdapters(adapter)).toEqual(lively());
    });
  });

  const furthest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] as number))), 0);
});
