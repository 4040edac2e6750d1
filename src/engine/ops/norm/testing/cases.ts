// Root mean square normalisation in float64, and test cases for it.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, fill, get, sum } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { addNorm, addNormComposed, rmsNorm, rmsNormComposed } from '../rmsNorm.ts';

export function rmsNormReference(x: Numbers, gain: Numbers, eps: number): Numbers {
  const width = gain.length;
  return fill(x.length, (at) => {
    const start = at - (at % width);
    const square = sum(width, (i) => get(x, start + i) ** 2) / width;
    return (get(x, at) / Math.sqrt(square + eps)) * get(gain, at % width);
  });
}

export function rmsNormCase(rows: number, width: number): OpCase {
  const eps = 1e-5;
  return {
    title: `rmsNorm [${[rows, width].join(', ')}]`,
    shapes: [[rows, width], [width]],
    shipped: ([x, gain]) => rmsNorm(x as tf.Tensor2D, gain as tf.Tensor1D, eps),
    composed: ([x, gain]) => rmsNormComposed(x as tf.Tensor2D, gain as tf.Tensor1D, eps),
    reference: ([x, gain]) => rmsNormReference(x as Numbers, gain as Numbers, eps),
  };
}

/**
 * The output is a combination of `sum` and `normed` with different weights, so that an error in the gradient of either
 * is noticed.
 */
export function addNormCase(rows: number, width: number, isLast: boolean): OpCase {
  const eps = 1e-5;
  const run = (op: typeof addNorm) => (inputs: tf.Tensor[]) => {
    const [x, delta, gain] = inputs as [tf.Tensor2D, tf.Tensor2D, tf.Tensor1D];
    const { sum, normed } = op({ x, delta, gain, eps, isLast });
    return isLast ? normed : tf.concat([sum, normed], 0);
  };
  return {
    title: `addNorm [${[rows, width].join(', ')}]${isLast ? ', the last' : ''}`,
    shapes: [[rows, width], [rows, width], [width]],
    shipped: run(addNorm),
    composed: run(addNormComposed),
    reference: ([x, delta, gain]) => {
      const sum = (x as Numbers).map((value, i) => value + ((delta as Numbers)[i] as number));
      const normed = rmsNormReference(sum, gain as Numbers, eps);
      return isLast ? normed : Float64Array.from([...sum, ...normed]);
    },
  };
}
