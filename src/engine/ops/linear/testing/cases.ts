// The linear map in float64, and a case of it.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, fill, get, sum } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { linear } from '../linear.ts';

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
