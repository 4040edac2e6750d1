// Code that the attention operations share: the packed projection, and the order of heads. The query heads h·G …
// h·G+G−1 read key head h (grouped-query attention, Ainslie et al. 2023). The queries of a key head are therefore
// stacked into one matrix, so that no key has to be repeated.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';

export interface PackedHeads {
  batch: number;
  length: number;
  heads: number;
  keyHeads: number;
  size: number;
}

export interface Heads {
  /** [B, T, H, D] */
  q: tf.Tensor4D;
  /** [B, T, KV, D] */
  k: tf.Tensor4D;
  v: tf.Tensor4D;
}

/** Splits [B·T, (H + 2·KV)·D] into queries, keys and values. Throws ShapeError unless KV divides H. */
export function splitHeads(qkv: tf.Tensor2D, { batch, length, heads, keyHeads, size }: PackedHeads): Heads {
  if (heads % keyHeads !== 0)
    throw new ShapeError(
      `attention: the number of key heads must divide the number of query heads, got ${String(keyHeads)} and ${String(heads)}; check the size of the model.`,
    );
  const part = (from: number, count: number) =>
    tf.reshape(tf.slice(qkv, [0, from * size], [batch * length, count * size]), [
      batch,
      length,
      count,
      size,
    ]) as tf.Tensor4D;
  return { q: part(0, heads), k: part(heads, keyHeads), v: part(heads + keyHeads, keyHeads) };
}

/** The inverse of splitHeads. */
export function packHeads({ q, k, v }: Heads): tf.Tensor2D {
  const flat = (x: tf.Tensor4D) => tf.reshape(x, [x.shape[0] * x.shape[1], -1]);
  return tf.concat([flat(q), flat(k), flat(v)], 1) as tf.Tensor2D;
}

/** [B, T, H, D] → [B·KV, G·T, D]: the query heads of each key head are stacked. */
export function stackHeads(x: tf.Tensor4D, keyHeads: number): tf.Tensor3D {
  const [batch, length, heads, size] = x.shape;
  return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [batch * keyHeads, (heads / keyHeads) * length, size]);
}

/** [B·KV, G·T, D] → [B, T, H, D], the inverse of stackHeads. */
export function unstackHeads(x: tf.Tensor, shape: [number, number, number, number]): tf.Tensor4D {
  const [batch, length, heads, size] = shape;
  return tf.transpose(tf.reshape(x, [batch, heads, length, size]), [0, 2, 1, 3]) as tf.Tensor4D;
}
/** Throws ShapeError unless keys and values have the shape [B, T, KV, D] and KV divides the number of query heads. */
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
      `${op}: keys and values must be [${String(batch)}, ${String(length)}, a divisor of ${String(heads)}, ${String(size)}] for q [${q.shape.join(', ')}], got ${keys.map((k) => `[${k.shape.join(', ')}]`).join(', ')}; ` +
        'check the number of heads.',
    );
}
