// The embedding in float64, and a test case for it.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, fill, get } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { embed, embedComposed } from '../embed.ts';

export function embedReference(ids: ArrayLike<number>, table: Numbers, width: number): Numbers {
  return fill(ids.length * width, (at) => get(table, get(ids, Math.floor(at / width)) * width + (at % width)));
}

export function embedCase(count: number, vocabulary: number, width: number): OpCase {
  const ids = Int32Array.from({ length: count }, (_, i) => (i * 5 + 3) % vocabulary);
  return {
    title: `embed [${[count, vocabulary, width].join(', ')}]`,
    shapes: [[vocabulary, width]],
    shipped: ([table]) => embed(tf.tensor1d(ids, 'int32'), table as tf.Tensor2D),
    composed: ([table]) => embedComposed(tf.tensor1d(ids, 'int32'), table as tf.Tensor2D),
    reference: ([table]) => embedReference(ids, table as Numbers, width),
  };
}
