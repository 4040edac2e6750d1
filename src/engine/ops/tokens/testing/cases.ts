// A test case for log-probabilities and entropies.
import * as tf from '@tensorflow/tfjs-core';
import type { Numbers } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { type TokenLogprobs, tokenLogprobs, tokenLogprobsComposed } from '../tokenLogprobs.ts';
import { tokenLogprobsReference } from './reference.ts';

export function logprobsCase(rows: number, vocabulary: number, temperature: number): OpCase {
  const ids = Int32Array.from({ length: rows }, (_, i) => (i * 5 + 3) % vocabulary);
  const both = ({ logprobs, entropy }: TokenLogprobs) => tf.concat([logprobs, entropy], 0);
  return {
    title: `tokenLogprobs [${[rows, vocabulary].join(', ')}] at ${String(temperature)}`,
    shapes: [[rows, vocabulary]],
    shipped: ([x]) => both(tokenLogprobs(x as tf.Tensor2D, tf.tensor1d(ids, 'int32'), temperature)),
    composed: ([x]) => both(tokenLogprobsComposed(x as tf.Tensor2D, tf.tensor1d(ids, 'int32'), temperature)),
    reference: ([x]) => tokenLogprobsReference(x as Numbers, ids, vocabulary, temperature),
  };
}
