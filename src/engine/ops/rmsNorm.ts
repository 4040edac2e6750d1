// Root mean square normalisation (Zhang & Sennrich 2019, "Root Mean Square Layer Normalization").
import * as tf from '@tensorflow/tfjs-core';
import { scalar } from './constants.ts';
import { expectShape, hasKernel, runKernel, runKernels, withGradient } from './kernel.ts';

tf.registerGradient({
  kernelName: 'RmsNorm',
  inputsToSave: ['x', 'gain'],
  gradFunc: (dy, saved, attrs) => {
    const [x, gain] = saved as [tf.Tensor, tf.Tensor];
    const [dx, dGain] = runKernels('RmsNormGrad', { x, gain, dy: dy as tf.Tensor }, attrs) as [tf.Tensor, tf.Tensor];
    return { x: () => dx, gain: () => dGain };
  },
});

/**
 * y = x / sqrt(mean(x²) + eps) · gain, row by row.
 * @param x [N, C]
 * @param gain [C]
 * @param eps added to the mean square, > 0
 * @returns [N, C]
 * @throws ShapeError when gain does not have C entries.
 */
export function rmsNorm(x: tf.Tensor2D, gain: tf.Tensor1D, eps: number): tf.Tensor2D {
  expectShape('rmsNorm: gain', gain, [x.shape[1]]);
  return hasKernel('RmsNorm') ? runKernel('RmsNorm', { x, gain }, { eps }) : rmsNormComposed(x, gain, eps);
}

/** The same from stock ops: the reference of every kernel. */
export function rmsNormComposed(x: tf.Tensor2D, gain: tf.Tensor1D, eps: number): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([x, gain], (inputs, save) => {
    const [input, weight] = inputs as [tf.Tensor2D, tf.Tensor1D];
    const inverse = tf.rsqrt(tf.add(tf.mean(tf.square(input), 1, true), scalar(eps))); // [N, 1]
    const unit = tf.mul(input, inverse); // [N, C]
    save([unit, inverse, weight]);
    return {
      value: tf.mul(unit, weight),
      gradients: (dy, saved) => {
        const [normal, scale, gains] = saved as [tf.Tensor2D, tf.Tensor2D, tf.Tensor1D];
        const dUnit = tf.mul(dy, gains);
        const along = tf.mean(tf.mul(dUnit, normal), 1, true); // [N, 1]
        const dx = tf.mul(scale, tf.sub(dUnit, tf.mul(normal, along)));
        return [dx, tf.sum(tf.mul(dy, normal), 0)];
      },
    };
  });
}
