// The gated activation in float64, and a test case for it.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, fill, get } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { swiGlu, swiGluComposed } from '../swiGlu.ts';

export function swiGluReference(gate: Numbers, up: Numbers): Numbers {
  return fill(gate.length, (at) => (get(gate, at) / (1 + Math.exp(-get(gate, at)))) * get(up, at));
}

export function swiGluCase(rows: number, width: number): OpCase {
  return {
    title: `swiGlu [${[rows, width].join(', ')}]`,
    shapes: [[rows, 2 * width]],
    shipped: ([x]) => swiGlu(x as tf.Tensor2D),
    composed: ([x]) => swiGluComposed(x as tf.Tensor2D),
    reference: ([x]) => {
      const half = (from: number) =>
        Float64Array.from(
          { length: rows * width },
          (_, at) => (x as Numbers)[Math.floor(at / width) * 2 * width + from + (at % width)] as number,
        );
      return swiGluReference(half(0), half(width));
    },
  };
}
