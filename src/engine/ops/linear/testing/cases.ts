// The linear map in float64, and a test case for it.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, fill, get, normals, sum } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { linear } from '../linear.ts';
import { addLowRank } from '../lowRank.ts';

/** y[n, o] = Σᵢ x[n, i]·w[o, i]. */
export function linearReference(x: Numbers, w: Numbers, inner: number): Numbers {
  const rows = x.length / inner;
  const outs = w.length / inner;
  return fill(rows * outs, (at) => {
    const [n, o] = [Math.floor(at / outs), at % outs];
    return sum(inner, (i) => get(x, n * inner + i) * get(w, o * inner + i));
  });
}

export function linearCase(rows: number, inner: number, outs: number): OpCase {
  const run = ([x, w]: tf.Tensor[]) => linear(x as tf.Tensor2D, w as tf.Tensor2D);
  return {
    title: `linear [${[rows, inner, outs].join(', ')}]`,
    shapes: [
      [rows, inner],
      [outs, inner],
    ],
    shipped: run,
    composed: run,
    reference: ([x, w]) => linearReference(x as Numbers, w as Numbers, inner),
  };
}

/** A map with frozen weights followed by y + s·(x·aᵀ)·bᵀ, as in a network with adapters. */
export function lowRankCase(rows: number, inner: number, outs: number, rank: number): OpCase {
  const scale = 1.5;
  const weights = normals(outs * inner, 9);
  const run = ([x, a, b]: tf.Tensor[]) => {
    const w = tf.tensor2d(Float32Array.from(weights), [outs, inner]);
    const y = linear(x as tf.Tensor2D, w, true);
    return addLowRank(y, x as tf.Tensor2D, { a: a as tf.Tensor2D, b: b as tf.Tensor2D, scale });
  };
  const composed = ([x, a, b]: tf.Tensor[]) => {
    const w = tf.tensor2d(Float32Array.from(weights), [outs, inner]);
    const merged = tf.add(w, tf.mul(tf.matMul(b as tf.Tensor2D, a as tf.Tensor2D), scale));
    return tf.matMul(x as tf.Tensor2D, merged as tf.Tensor2D, false, true);
  };
  return {
    title: `lowRank [${[rows, inner, outs, rank].join(', ')}]`,
    shapes: [
      [rows, inner],
      [rank, inner],
      [outs, rank],
    ],
    shipped: run,
    composed,
    reference: ([x, a, b]) => {
      const merged = fill(outs * inner, (at) => {
        const [o, i] = [Math.floor(at / inner), at % inner];
        const added = sum(rank, (r) => get(b as Numbers, o * rank + r) * get(a as Numbers, r * inner + i));
        return (weights[at] as number) + scale * added;
      });
      return linearReference(x as Numbers, merged, inner);
    },
  };
}
