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
  adapterNames,
  adapterOf,
  adapterVariables,
  disposeMerged,
  downloadAdapters,
  effectiveTree,
  expectAdapters,
  initialAdapters,
  mergedTree,
  remerge,
} from './adapter.ts';
import { disposeTree, downloadTree, initialWeights, uploadTree } from './parameters.ts';

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
  it('are a pair for each packed projection of each layer, and for nothing else', () => {
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

  it('begin with B zero and A from the seed, other for every network', () => {
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

describe('a merged tree', () => {
  const withAdapter = async <T>(
    arrays: ReturnType<typeof initialAdapters>,
    use: (parts: ReturnType<typeof make>) => T,
  ) => {
    const { numTensors } = tf.memory();
    const parts = make(arrays);
    const out = await use(parts);
    disposeMerged(parts.adapter, parts.tree);
    tf.dispose(adapterVariables(parts.adapter));
    disposeTree(parts.base);
    expect(tf.memory().numTensors).toBe(numTensors);
    return out;
  };
  const make = (arrays: ReturnType<typeof initialAdapters>) => {
    const base = uploadTree(initialWeights(shape, 7), shape);
    const adapter = adapterOf(flatVariables(arrays), shape, { base, scale: 1.5 });
    return { base, adapter, tree: mergedTree(adapter) };
  };
  const lively = () => {
    const draws = new Draws(3, 0, 0);
    return initialAdapters(shape, { rank: 4, seed: 1 }).map((array) => ({
      ...array,
      values: array.values.map(() => 0.3 * draws.normal()),
    }));
  };

  it('is the base to the last bit where B is zero, and shares with it what has no adapter', async () => {
    await withAdapter(initialAdapters(shape, { rank: 4, seed: 1 }), async ({ base, tree }) => {
      expect([...tree.keys()]).toEqual([...base.keys()]);
      expect(await downloadTree(tree, shape)).toEqual(await downloadTree(base, shape));
      for (const [name, variable] of base) expect(tree.get(name) === variable).toBe(!name.includes('_proj'));
    });
  });

  it('is W + (α/r)·B·A, which the differentiable tree is to the last bit', async () => {
    await withAdapter(lively(), async ({ base, adapter, tree }) => {
      const effective = tf.tidy(() =>
        [...effectiveTree(adapter)].map(([name, matrix]) => [name, Array.from(matrix.dataSync())] as const),
      );
      let furthest = 0;
      for (const [name, values] of effective) {
        const merged = Array.from((tree.get(name) as tf.Tensor).dataSync());
        expect(merged, name).toEqual(values);
        const pair = adapter.pairs.get(name);
        if (!pair) continue;
        const [w, a, b] = [base.get(name) as tf.Tensor, pair.a, pair.b].map((x) => Array.from(x.dataSync()));
        const [out, input] = (base.get(name) as tf.Tensor).shape as [number, number];
        for (let o = 0; o < out; o++) {
          for (let i = 0; i < input; i++) {
            let sum = w![o * input + i]!;
            for (let r = 0; r < 4; r++) sum += 1.5 * b![o * 4 + r]! * a![r * input + i]!;
            furthest = Math.max(furthest, Math.abs(sum - merged[o * input + i]!));
          }
        }
      }
      expect(furthest).toBeLessThan(1e-6);
    });
  });

  it('follows its adapters in the same variables, and hands back what was put in', async () => {
    await withAdapter(initialAdapters(shape, { rank: 4, seed: 1 }), async ({ base, adapter, tree }) => {
      const variables = [...tree.values()];
      const before = await downloadTree(base, shape);
      lively().forEach(({ values, shape: dimensions }, i) =>
        tf.tidy(() => adapterVariables(adapter)[i]?.assign(tf.tensor(values, dimensions))),
      );
      const { numTensors } = tf.memory();
      remerge(adapter, tree);
      expect(tf.memory().numTensors).toBe(numTensors);
      expect([...tree.values()].every((variable, i) => variable === variables[i])).toBe(true);
      const fresh = mergedTree(adapter);
      expect(await downloadTree(tree, shape)).toEqual(await downloadTree(fresh, shape));
      expect(await downloadTree(tree, shape)).not.toEqual(before);
      expect(await downloadTree(base, shape)).toEqual(before);
      expect(await downloadAdapters(adapter)).toEqual(lively());
      disposeMerged(adapter, fresh);
    });
  });
});
