// Shared parts of the two attention ops: the order of heads and the softmax over stacked queries.
// Query heads h·G … h·G+G−1 read key head h (grouped-query attention, Ainslie et al. 2023), so the
// queries of one key head are stacked into one matrix and no key is ever repeated.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';

/** [B, T, H, D] → [B·KV, G·T, D], query heads stacked under their key head. */
export function stackHeads(x: tf.Tensor4D, keyHeads: number): tf.Tensor3D {
  const [batch, length, heads, size] = x.shape;
  return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [batch * keyHeads, (heads / keyHeads) * length, size]);
}

/** [B·KV, G·T, D] → [B, T, H, D], the inverse of stackHeads. */
export function unstackHeads(x: tf.Tensor, shape: [number, number, number, number]): tf.Tensor4D {
  const [batch, length, heads, size] = shape;
  return tf.transpose(tf.reshape(x, [batch, heads, length, size]), [0, 2, 1, 3]) as tf.Tensor4D;
}

/** Throws ShapeError unless k and v are [B, T, KV, D] with KV dividing the number of query heads. */
export function expectHeads(op: string, q: tf.Tensor4D, keys: tf.Tensor4D[]): void {
  const [batch, , heads, size] = q.shape;
  const [, length, keyHeads] = (keys[0] as tf.Tensor4D).shape;
  const fits = keys.every(
    ({ shape }) =>
      shape[0] === batch &&
      shape[1] === length &&
      shape[2] === keyHeads &&
      shape[3] === size &&
      heads % (shape[2] as number) === 0,
  );
  if (!fits)
    throw new ShapeError(
      `${op}: keys and values must be [${String(batch)}, ${String(length)}, a divisor of ${String(heads)}, ` +
        `${String(size)}] for q [${q.shape.join(', ')}], got ${keys.map((k) => `[${k.shape.join(', ')}]`).join(', ')}; ` +
        'check the number of heads.',
    );
}
