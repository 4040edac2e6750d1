// Tests runs whose networks are adapters to one frozen base: that the gradient is right, which networks change, and
// that the base does not change.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { livelyWeights, rowLogitsReference } from '../../model/testing/reference.ts';
import { packArrays, unpackArrays } from '../../model/network/packing.ts';
import { disposeTree, uploadTree } from '../../model/network/parameters.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { bucketOf } from '../rows/microbatches.ts';
import { microbatchGradient, microbatchWork } from '../update/gradient.ts';
import { disposeNetwork, uploadNetwork, variables } from './network.ts';
import { freshAdapters } from './network.ts';
import { type RowBatch } from '../rows/rows.ts';
import { assembleTeam } from './team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';

onCpu();

const lora = { parameters: 'lora', loraRank: 4 } as const;

it('the gradient of an adapter is that of the merged product by finite differences in double precision', async () => {
  const scale = 2;
  const [rows, length] = [2, 6];
  const learning = { ratioLevel: 'token', aggregation: 'token', entCoef: 0 } as const;
  const config = microConfig({ agents: lora, learning });
  const { shape } = assembleTeam(config);
  const base = livelyWeights(shape, 3);
  const draws = new Draws(5, 0, 0);
  const fresh = freshAdapters(config, shape, { n: 0 });
  const weights = fresh.weights.map((array) => ({ ...array, values: array.values.map(() => 0.3 * draws.normal()) }));
  const ids = Int32Array.from({ length: rows * length }, () => draws.below(32));
  const targets = Int32Array.from({ length: rows * length }, () => draws.below(32));
  const advantages = Float32Array.from({ length: rows * length }, () => draws.normal());

  /** The merged weights W + (α/r)·B·A, computed in double precision, with Hugging Face's names. */
  function mergedInDouble(
    adapters: readonly { name: string; shape: number[]; values: ArrayLike<number> }[],
  ): NamedArray[] {
    const byName = new Map(adapters.map((array) => [array.name, array]));
    const packed = packArrays(base, shape).map(({ name, shape: [, input = 1], values }) => {
      const of = (part: string) => byName.get(`lora.${name.replace('.weight', '')}.${part}`);
      const [a, b] = [of('A'), of('B')];
      if (!a || !b) return Float64Array.from(values);
      const rank = a.shape[0] as number;
      return Float64Array.from(values, (w, at) => {
        const [o, i] = [Math.floor(at / input), at % input];
        let sum = w;
        for (let r = 0; r < rank; r++)
          sum += scale * (b.values[o * rank + r] as number) * (a.values[r * input + i] as number);
        return sum;
      });
    });
    return unpackArrays(packed as unknown as Float32Array[], shape);
  }

  function logprobs(adapters: Parameters<typeof mergedInDouble>[0]): number[] {
    const merged = mergedInDouble(adapters);
    return Array.from({ length: rows }, (_, row) => {
      const logits = rowLogitsReference(shape, merged, [...ids.subarray(row * length, (row + 1) * length)]);
      return Array.from({ length }, (__, t) => {
        const scores = Array.from(logits.slice(t * shape.vocabSize, (t + 1) * shape.vocabSize));
        const top = Math.max(...scores);
        const total = Math.log(scores.reduce((sum, x) => sum + Math.exp(x - top), 0)) + top;
        return (scores[targets[row * length + t] as number] as number) - total;
      });
    }).flat();
  }
  const old = logprobs(weights);
  const count = rows * length;
  const batch: RowBatch = {
    ...{ rows, length, ids, targets, actionMask: new Float32Array(count).fill(1) },
    turnIds: new Int32Array(count),
    oldLogprobs: Float32Array.from(old),
    ...{ trajectoryIds: Int32Array.of(0, 1), agentIds: Int32Array.of(0, 0) },
  };
  const share = new Float32Array(count).fill(1 / count);
  const facts = { oldLogprobs: batch.oldLogprobs, advantages, weight: share, share, tokenShare: share };
  const tree = uploadTree(base, shape);
  const network = uploadNetwork({ ...fresh, weights }, shape, false, { base: tree, scale });
  const work = microbatchWork({ batch, facts }, { config, klCoef: null, bucket: bucketOf(tf.getBackend()) });
  const [, ...grads] = tf.tidy(() => {
    const inputs = Object.fromEntries(
      Object.entries(work.uploads).map(([name, { values, shape: dimensions }]) => [
        name,
        tf.tensor(values, [...dimensions], values instanceof Int32Array ? 'int32' : 'float32'),
      ]),
    );
    return microbatchGradient(network, work, { config, inputs });
  });
  expect(grads.map((grad) => grad.shape)).toEqual(weights.map((array) => array.shape));
  expect(variables(network)).toHaveLength(weights.length);

  // The weights have not changed since the tokens were sampled, so no ratio is clipped and the loss is −mean(A·ratio).
  const loss = (adapters: Parameters<typeof mergedInDouble>[0]) =>
    -logprobs(adapters).reduce(
      (sum, x, at) => sum + (advantages[at] as number) * Math.exp(x - (old[at] as number)),
      0,
    ) / count;
  const step = 1e-5;
  for (const [which, array] of weights.entries()) {
    const grad = (grads[which] as tf.Tensor).dataSync<'float32'>();
    for (const at of [0, 7, array.values.length - 1]) {
      const moved = (by: number) => {
        const values = Float64Array.from(array.values);
        values[at] = (values[at] as number) + by;
        return loss(weights.map((other, i) => (i === which ? { ...other, values } : other)));
      };
      const slope = (moved(step) - moved(-step)) / (2 * step);
      expect(Math.abs(slope - (grad[at] as number)), `${array.name} ${at}`).toBeLessThan(2e-5);
    }
    expect(Math.max(...grad.map(Math.abs)), array.name).toBeGreaterThan(1e-4);
  }
  tf.dispose(grads);
  disposeNetwork(network);
  disposeTree(tree);
});

describe('a team of adapters', () => {
  it('begins as its base: the same dialogues, and no distance to the reference', async () => {
    const collected = async (agents: ConfigInput['agents']) => {
      const run = await startRun({ agents: { ...agents } });
      await run.session.train(1);
      await run.session.dispose();
      return { trajectories: run.collected(), metrics: run.store.iterations[0]?.metrics.values };
    };
    const [shared, adapters] = [await collected({}), await collected(lora)];
    expect(adapters.trajectories).toEqual(shared.trajectories);
    expect(adapters.metrics?.['losses/ref_kl']).toBeLessThan(1e-9);
  });

  it('keeps the moments of the adapters alone, and hands out merged weights', async () => {
    const run = await startRun({ agents: lora });
    await run.session.train(2);
    const { networks, base = [], reference } = await run.session.checkpoint();
    expect(reference).toEqual([]);
    for (const { weights, m, v } of networks) {
      expect(m.map(({ length }) => length)).toEqual(weights.map(({ values }) => values.length));
      expect(v).toHaveLength(8);
    }
    const { shape } = assembleTeam(run.session.config);
    for (const agent of [0, 1]) {
      const [given] = await run.session.agentWeights(agent);
      expect(given.map(({ name }) => name)).toEqual(base.map(({ name }) => name));
      const packed = packArrays(given, shape);
      packArrays(base, shape).forEach(({ name, shape: [, input = 1], values }, i) => {
        const of = (part: string) =>
          networks[agent]?.weights.find((array) => array.name === `lora.${name.replace('.weight', '')}.${part}`)
            ?.values;
        const [a, b] = [of('A'), of('B')];
        const { loraRank: rank, loraAlpha } = run.session.config.agents;
        const expected = Array.from(values, (w, at) => {
          let sum = w;
          if (a && b)
            for (let r = 0; r < rank; r++)
              sum +=
                (loraAlpha / rank) *
                (b[Math.floor(at / input) * rank + r] as number) *
                (a[r * input + (at % input)] as number);
          return sum;
        });
        const far = expected.map((x, at) => Math.abs(x - (packed[i]?.values[at] as number)));
        expect(Math.max(...far), name).toBeLessThan(1e-6);
        if (!a) expect(packed[i]?.values).toEqual(values);
      });
    }
  });
});
