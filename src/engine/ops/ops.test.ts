import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyAdamW } from './adamW/adamW.ts';
import { causalAttention } from './attention/causalAttention.ts';
import { cachedAttentionComposed } from './attention/cachedAttention.ts';
import { opCases } from './testing/cases.ts';
import { normals } from './testing/numbers.ts';
import { evaluate } from './testing/opCase.ts';
import { attentionReference } from './attention/testing/reference.ts';
import { type Numbers, differences, distance } from './testing/numbers.ts';
import { sampleReference } from './tokens/testing/reference.ts';
import { sampleTokensComposed } from './tokens/sampleTokens.ts';

beforeAll(() => tf.setBackend('cpu'));

describe('the composed ops', () => {
  for (const { title, shapes, composed, reference } of opCases())
    it(`${title} agrees with float64, and its gradient with finite differences`, async () => {
      const values = shapes.map((shape, i) => normals(tf.util.sizeFromShape(shape), 31 + i));
      const { output, gradients } = await evaluate(composed, shapes, values);
      expect(distance(output, reference(values))).toBeLessThan(1e-5);
      const weights = normals(output.length, 5);
      gradients.forEach((gradient, at) => {
        const moved = (x: Numbers) => reference(values.map((other, i) => (i === at ? x : other)));
        expect(distance(gradient, differences(moved, values[at] as Numbers, weights))).toBeLessThan(1e-4);
      });
    });

  it('cachedAttention over a cache agrees with float64', () => {
    const [batch, steps, past, heads, keyHeads, size] = [3, 2, 5, 4, 2, 6];
    const [q, own, old] = [
      batch * steps * heads * size,
      batch * steps * keyHeads * size,
      batch * past * keyHeads * size,
    ];
    const tensor = (values: Numbers, length: number, count: number) =>
      tf.tensor4d(Float32Array.from(values), [batch, length, count, size]);
    const [queries, k, v, pastK, pastV] = [q, own, own, old, old].map((count, i) => normals(count, 7 + i)) as [
      Numbers,
      Numbers,
      Numbers,
      Numbers,
      Numbers,
    ];
    const pastMask = Float32Array.from(normals(batch * past, 3), (x) => (x > 0 ? 1 : 0));
    const selfMask = Float32Array.from(normals(batch * steps, 4), (x) => (x > 0 ? 1 : 0));
    const out = cachedAttentionComposed({
      q: tensor(queries, steps, heads),
      pastK: tensor(pastK, past, keyHeads),
      pastV: tensor(pastV, past, keyHeads),
      k: tensor(k, steps, keyHeads),
      v: tensor(v, steps, keyHeads),
      pastMask: tf.tensor2d(pastMask, [batch, past]),
      selfMask: tf.tensor2d(selfMask, [batch, steps]),
    });
    const width = keyHeads * size;
    const join = (a: Numbers, b: Numbers) =>
      Float64Array.from({ length: a.length + b.length }, (_, at) => {
        const row = Math.floor(at / width);
        const [n, j] = [Math.floor(row / (past + steps)), row % (past + steps)];
        const from = j < past ? (n * past + j) * width : (n * steps + j - past) * width;
        return (j < past ? a : b)[from + (at % width)] as number;
      });
    const isVisible = (b: number, s: number, j: number) =>
      j < past
        ? pastMask[b * past + j] === 1
        : j - past === s || (j - past < s && selfMask[b * steps + j - past] === 1);
    const sizes = { batch, queries: steps, keys: past + steps, heads, keyHeads, size, isVisible };
    const expected = attentionReference(queries, join(pastK, k), join(pastV, v), sizes);
    expect(distance(out.dataSync(), expected)).toBeLessThan(1e-5);
  });

  it('sampleTokens picks the token whose share of the line holds the uniform number', () => {
    const logits = normals(40 * 9, 2);
    const uniforms = Float32Array.from({ length: 40 }, (_, i) => (i + 0.5) / 40);
    const { ids, logprobs } = sampleTokensComposed(
      tf.tensor2d(Float32Array.from(logits), [40, 9]),
      tf.tensor1d(uniforms),
      0.8,
    );
    expect(Array.from(ids.dataSync())).toEqual(sampleReference(logits, uniforms, 9, 0.8));
    expect(ids.dtype).toBe('int32');
    expect(Math.max(...logprobs.dataSync())).toBeLessThan(0);
  });
});

it('a mask of integers is refused: a fused kernel would read its ones as zeros', () => {
  const qkv = tf.zeros([2, 6]) as tf.Tensor2D;
  const [cos, sin] = [tf.ones([1, 2, 2]), tf.zeros([1, 2, 2])] as [tf.Tensor3D, tf.Tensor3D];
  const keyMask = tf.ones([1, 2], 'int32') as tf.Tensor2D;
  expect(() => causalAttention({ qkv, heads: 1, keyHeads: 1, cos, sin, keyMask })).toThrow(
    /keyMask must be float32 \[1, 2\], got int32/,
  );
});

describe('applyAdamW', () => {
  const options = {
    ...{ learningRate: 0.1, beta1: 0.9, beta2: 0.99, eps: 1e-8 },
    ...{ weightDecay: [0.5], maxGradNorm: 1, step: 1 },
  };
  const zeros = () => tf.variable(tf.tensor1d([0, 0]));

  it('follows the hand-worked first step: decay, clip to norm 1, a step of the learning rate against the sign', () => {
    const p = tf.variable(tf.tensor1d([1, -2]));
    const state = { m: [zeros()], v: [zeros()] };
    const { gradNorm } = applyAdamW([p], [tf.tensor1d([3, 4])], state, options);
    expect(gradNorm.dataSync()[0]).toBeCloseTo(5, 5);
    // p·(1 − 0.05) − 0.1·sign(g)
    expect(distance(p.dataSync(), [0.85, -2])).toBeLessThan(1e-6);
    expect(distance(state.m[0]?.dataSync() ?? [], [0.06, 0.08])).toBeLessThan(1e-5);
    expect(distance(state.v[0]?.dataSync() ?? [], [0.0036, 0.0064])).toBeLessThan(1e-5);
  });

  it('refuses lists that do not match', () => {
    const call = () => applyAdamW([zeros()], [], { m: [zeros()], v: [zeros()] }, options);
    expect(call).toThrow(/grads must have 1 entries/);
  });
});
