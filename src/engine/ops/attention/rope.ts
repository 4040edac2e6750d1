// Rotary position embedding as in Llama checkpoints, where the two halves of a head are rotated together (Su et al.
// 2021, "RoFormer"), by operations of TensorFlow.js. The attention kernels rotate queries and keys themselves; the
// versions without kernels use this file.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';

/**
 * The tables of cos and sin for all positions in a batch, [B, T, D] each, or [1, T, D] if all rows have the same
 * positions. Both halves of the last axis are equal.
 */
export interface Rotation {
  cos: tf.Tensor3D;
  sin: tf.Tensor3D;
}

/**
 * Rotates each head: (x1, x2) → (x1·cos − x2·sin, x2·cos + x1·sin), where x1 and x2 are the halves of the last axis.
 * @param x [B, T, H, D]
 * @param isInverse rotates back; this is the transpose of the rotation, and therefore its gradient
 */
export function rotate(x: tf.Tensor4D, { cos, sin }: Rotation, isInverse = false): tf.Tensor4D {
  const [batch, length, heads, size] = x.shape;
  const half = size / 2;
  const x1 = tf.slice(x, [0, 0, 0, 0], [batch, length, heads, half]);
  const x2 = tf.slice(x, [0, 0, 0, half], [batch, length, heads, half]);
  const table: [number, number, number, number] = [cos.shape[0], length, 1, size];
  const turned = tf.concat(isInverse ? [x2, tf.neg(x1)] : [tf.neg(x2), x1], 3); // [B, T, H, D]
  return tf.add(tf.mul(x, tf.reshape(cos, table)), tf.mul(turned, tf.reshape(sin, table)));
}

/** Throws ShapeError unless both tables have the same shape, [1 or batch, T, size], with an even size. */
export function expectRotation(op: string, { cos, sin }: Rotation, batch: number, size: number): void {
  for (const table of [cos, sin])
    if (
      (table.shape[0] !== 1 && table.shape[0] !== batch) ||
      !tf.util.arraysEqual(table.shape, cos.shape) ||
      table.shape[2] !== size ||
      size % 2 !== 0
    )
      throw new ShapeError(
        `${op}: cos and sin must be [1 or ${String(batch)}, T, ${String(size)}] with an even last size, got [${table.shape.join(', ')}]; build the tables for the positions of this batch.`,
      );
}
