// A case of the weighted sum.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, normals } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { weightedSum } from '../weightedSum.ts';

export function weightedSumCase(rows: number, width: number): OpCase {
  const weights = normals(rows * width, 19);
  const run = ([x]: tf.Tensor[]) => weightedSum(x as tf.Tensor, tf.tensor2d(Float32Array.from(weights), [rows, width]));
  return {
    title: `weightedSum [${[rows, width].join(', ')}]`,
    shapes: [[rows, width]],
    shipped: run,
    composed: run,
    reference: ([x]) => Float64Array.of((x as Numbers).reduce((sum, v, i) => sum + v * (weights[i] as number), 0)),
  };
}
