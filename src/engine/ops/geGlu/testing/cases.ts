// The gated activation with GELU in float64, and a test case for it.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, fill, get } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { geGlu, geGluComposed } from '../geGlu.ts';

const gelu = (z: number) => (z / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3)));

export function geGluReference(gate: Numbers, up: Numbers): Numbers {
  return fill(gate.length, (at) => gelu(get(gate, at)) * get(up, at));
}

export function geGluCase(rows: number, width: number): OpCase {
  return {
    title: `geGlu [${[rows, width].join(', ')}]`,
    shapes: [[rows, 2 * width]],
    shipped: ([x]) => geGlu(x as tf.Tensor2D),
    composed: ([x]) => geGluComposed(x as tf.Tensor2D),
    reference: ([x]) => {
      const half = (from: number) =>
        Float64Array.from(
          { length: rows * width },
          (_, at) => (x as Numbers)[Math.floor(at / width) * 2 * width + from + (at % width)] as number,
        );
      return geGluReference(half(0), half(width));
    },
  };
}
