// The gated activation of Gemma's feed-forward layer (Shazeer 2020, "GLU Variants Improve Transformer"), with GELU in
// the form with tanh (Hendrycks & Gimpel 2016). Because (1 + tanh u) / 2 = σ(2u), this form of GELU is z·σ(k) with
// k = 2·√(2/π)·(z + 0.044715·z³).
import * as tf from '@tensorflow/tfjs-core';
import { scalar } from '../constants.ts';
import { hasKernel, registerKernelGradient, runKernel, withGradient } from '../kernel.ts';
import { expectGated } from '../swiGlu/swiGlu.ts';

registerKernelGradient('GeGlu', { saves: ['x'], of: ['x'] });

/** The coefficients of z and z³ in the argument k of σ. */
export const linearCoefficient = 2 * Math.sqrt(2 / Math.PI);
export const cubicCoefficient = 0.044715 * linearCoefficient;

/**
 * gelu(gate) · up, element by element, with gelu(z) = z·(1 + tanh(√(2/π)·(z + 0.044715·z³))) / 2.
 * @param x [N, 2F]: F columns with the gates, then F columns with the values `up`
 * @returns [N, F]
 * @throws ShapeError if the number of columns is odd
 */
export function geGlu(x: tf.Tensor2D): tf.Tensor2D {
  expectGated('geGlu', x);
  return hasKernel('GeGlu', x) ? runKernel('GeGlu', { x }) : geGluComposed(x);
}

/**
 * The composed form of the activation, which consists of TensorFlow.js operations. It is the reference for every
 * kernel.
 */
export function geGluComposed(x: tf.Tensor2D): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([x], ([packed], save) => {
    const [rows, columns] = x.shape;
    const half = columns / 2;
    const gates = tf.slice(packed as tf.Tensor2D, [0, 0], [rows, half]);
    const ups = tf.slice(packed as tf.Tensor2D, [0, half], [rows, half]);
    const curve = (times: number) =>
      tf.add(tf.mul(tf.square(gates), scalar(times * cubicCoefficient)), scalar(linearCoefficient));
    const open = tf.sigmoid(tf.mul(gates, curve(1)));
    const active = tf.mul(gates, open);
    // gelu'(z) = σ + gelu·(1 − σ)·k'(z)
    const slope = tf.add(open, tf.mul(tf.mul(active, tf.sub(scalar(1), open)), curve(3)));
    save([active, slope, ups]);
    return {
      value: tf.mul(active, ups),
      gradients: (dy, saved) => {
        const [gelu, steepness, raised] = saved as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D];
        return [tf.concat([tf.mul(dy, tf.mul(raised, steepness)), tf.mul(dy, gelu)], 1)];
      },
    };
  });
}
