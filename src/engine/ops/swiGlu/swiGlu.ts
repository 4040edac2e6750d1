// The gated activation of Llama's feed-forward layer (Shazeer 2020, "GLU Variants Improve Transformer").
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { scalar } from '../constants.ts';
import { hasKernel, registerKernelGradient, runKernel, withGradient } from '../kernel.ts';

registerKernelGradient('SwiGlu', { saves: ['x'], of: ['x'] });

/**
 * silu(gate) · up, element by element, with silu(z) = z / (1 + e⁻ᶻ).
 * @param x [N, 2F]: F columns with the gates, then F columns with the values `up`
 * @returns [N, F]
 * @throws ShapeError if the number of columns is odd
 */
export function swiGlu(x: tf.Tensor2D): tf.Tensor2D {
  expectGated('swiGlu', x);
  return hasKernel('SwiGlu', x) ? runKernel('SwiGlu', { x }) : swiGluComposed(x);
}

/** Throws ShapeError if x is not [N, 2F]. */
export function expectGated(op: string, x: tf.Tensor2D): void {
  if (x.rank !== 2 || x.shape[1] % 2 !== 0)
    throw new ShapeError(
      `${op}: x must be [N, 2F], with the gate first and the gated values after it, got [${x.shape.join(', ')}]; pack both projections into one.`,
    );
}

/**
 * The composed form of the activation, which consists of TensorFlow.js operations. It is the reference for every
 * kernel.
 */
export function swiGluComposed(x: tf.Tensor2D): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([x], ([packed], save) => {
    const [rows, columns] = x.shape;
    const half = columns / 2;
    const gates = tf.slice(packed as tf.Tensor2D, [0, 0], [rows, half]);
    const ups = tf.slice(packed as tf.Tensor2D, [0, half], [rows, half]);
    const open = tf.sigmoid(gates);
    const silu = tf.mul(gates, open);
    save([open, silu, ups]);
    return {
      value: tf.mul(silu, ups),
      gradients: (dy, saved) => {
        const [sigmoid, active, raised] = saved as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D];
        // silu'(z) = σ + silu·(1 − σ)
        const slope = tf.add(sigmoid, tf.mul(active, tf.sub(scalar(1), sigmoid)));
        return [tf.concat([tf.mul(dy, tf.mul(raised, slope)), tf.mul(dy, active)], 1)];
      },
    };
  });
}
