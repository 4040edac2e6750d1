// The gated activation of Llama's feed-forward layer (Shazeer 2020, "GLU Variants Improve Transformer").
import * as tf from '@tensorflow/tfjs-core';
import { scalar } from './constants.ts';
import { expectShape, hasKernel, runKernel, runKernels, withGradient } from './kernel.ts';

tf.registerGradient({
  kernelName: 'SwiGlu',
  inputsToSave: ['gate', 'up'],
  gradFunc: (dy, saved) => {
    const [gate, up] = saved as [tf.Tensor, tf.Tensor];
    const [dGate, dUp] = runKernels('SwiGluGrad', { gate, up, dy: dy as tf.Tensor }) as [tf.Tensor, tf.Tensor];
    return { gate: () => dGate, up: () => dUp };
  },
});

/**
 * silu(gate) · up, element by element, with silu(z) = z / (1 + e⁻ᶻ).
 * @param gate [N, F]
 * @param up [N, F]
 * @returns [N, F]
 * @throws ShapeError when the shapes differ.
 */
export function swiGlu(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  expectShape('swiGlu: up', up, gate.shape);
  return hasKernel('SwiGlu') ? runKernel('SwiGlu', { gate, up }) : swiGluComposed(gate, up);
}

/** The same from stock ops: the reference of every kernel. */
export function swiGluComposed(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([gate, up], (inputs, save) => {
    const [gates, ups] = inputs as [tf.Tensor2D, tf.Tensor2D];
    const open = tf.sigmoid(gates);
    const silu = tf.mul(gates, open);
    save([open, silu, ups]);
    return {
      value: tf.mul(silu, ups),
      gradients: (dy, saved) => {
        const [sigmoid, active, raised] = saved as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D];
        // silu'(z) = σ + silu·(1 − σ)
        const slope = tf.add(sigmoid, tf.mul(active, tf.sub(scalar(1), sigmoid)));
        return [tf.mul(dy, tf.mul(raised, slope)), tf.mul(dy, active)];
      },
    };
  });
}
