// Rotary position embedding, half-split as in Llama checkpoints (Su et al. 2021, "RoFormer").
// Positions come as data, through the tables, so a captured step can serve any position.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { hasKernel, runKernel, withGradient } from './kernel.ts';

tf.registerGradient({
  kernelName: 'Rope',
  inputsToSave: ['cos', 'sin'],
  gradFunc: (dy, saved, attrs) => {
    const [cos, sin] = saved as [tf.Tensor, tf.Tensor];
    const { isInverse } = attrs as unknown as { isInverse: boolean };
    return { x: () => runKernel('Rope', { x: dy as tf.Tensor, cos, sin }, { isInverse: !isInverse }) };
  },
});

/**
 * Rotates each head: (x1, x2) → (x1·cos − x2·sin, x2·cos + x1·sin), x1 and x2 the halves of the last axis.
 * @param x [B, T, H, D], D even
 * @param cos [B or 1, T, D], both halves of the last axis equal
 * @param sin as cos
 * @returns [B, T, H, D]; differentiable in x only
 * @throws ShapeError when the tables do not fit x.
 */
export function rope(x: tf.Tensor4D, cos: tf.Tensor3D, sin: tf.Tensor3D): tf.Tensor4D {
  const [batch, length, , size] = x.shape;
  for (const table of [cos, sin])
    if (
      (table.shape[0] !== 1 && table.shape[0] !== batch) ||
      table.shape[0] !== cos.shape[0] ||
      table.shape[1] !== length ||
      table.shape[2] !== size ||
      size % 2 !== 0
    )
      throw new ShapeError(
        `rope: cos and sin must be [1 or ${String(batch)}, ${String(length)}, ${String(size)}] with an even last size, ` +
          `got [${table.shape.join(', ')}]; build the tables for the positions of this batch.`,
      );
  return hasKernel('Rope') ? runKernel('Rope', { x, cos, sin }, { isInverse: false }) : ropeComposed(x, cos, sin);
}

/** The same from stock ops: the reference of every kernel. */
export function ropeComposed(x: tf.Tensor4D, cos: tf.Tensor3D, sin: tf.Tensor3D): tf.Tensor4D {
  return withGradient<tf.Tensor4D>([x], ([input], save) => {
    save([cos, sin]);
    return {
      value: rotate(input as tf.Tensor4D, cos, sin),
      gradients: (dy, saved) => {
        const [cosines, sines] = saved as [tf.Tensor3D, tf.Tensor3D];
        return [rotate(dy, cosines, tf.neg(sines))];
      },
    };
  });
}

function rotate(x: tf.Tensor4D, cos: tf.Tensor3D, sin: tf.Tensor3D): tf.Tensor4D {
  const [batch, length, heads, size] = x.shape;
  const half = size / 2;
  const x1 = tf.slice(x, [0, 0, 0, 0], [batch, length, heads, half]);
  const x2 = tf.slice(x, [0, 0, 0, half], [batch, length, heads, half]);
  const table: [number, number, number, number] = [cos.shape[0], length, 1, size];
  const turned = tf.concat([tf.neg(x2), x1], 3); // [B, T, H, D]
  return tf.add(tf.mul(x, tf.reshape(cos, table)), tf.mul(turned, tf.reshape(sin, table)));
}
