// Root mean square normalisation (Zhang & Sennrich 2019, "Root Mean Square Layer Normalization"), alone or after an
// addition to the residual stream. Addition and normalisation are one operation, because they occur together at the end
// of every block of the network.
import * as tf from '@tensorflow/tfjs-core';
import { scalar } from '../constants.ts';
import { expectShape, hasKernel, registerKernelGradient, runKernels, withGradient } from '../kernel.ts';

registerKernelGradient('RmsNorm', { saves: ['x', 'gain'], outputs: [null, 'inverse'], of: ['x', 'gain'] });

tf.registerGradient({
  kernelName: 'AddNorm',
  inputsToSave: ['gain'],
  outputsToSave: [true, false, true],
  gradFunc: (dys, saved, attrs) => {
    const [gain, sum, inverse] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const [dSum, dy] = dys as unknown as [tf.Tensor, tf.Tensor];
    const { isLast } = attrs as unknown as { isLast: boolean };
    const inputs = { sum, gain, inverse, dSum: isLast ? scalar(0) : dSum, dy };
    const [dx, dGain] = runKernels('AddNormGrad', inputs, attrs) as [tf.Tensor, tf.Tensor];
    return { x: () => dx, delta: () => dx.clone(), gain: () => dGain };
  },
});

/**
 * y = x / sqrt(mean(x²) + eps) · gain, row by row.
 * @param x [N, C]
 * @param gain [C]
 * @param eps added to the mean square, > 0
 * @returns [N, C]
 * @throws ShapeError if gain does not have C entries
 */
export function rmsNorm(x: tf.Tensor2D, gain: tf.Tensor1D, eps: number): tf.Tensor2D {
  expectShape('rmsNorm: gain', gain, [x.shape[1]]);
  if (!hasKernel('RmsNorm', x, gain)) return rmsNormComposed(x, gain, eps);
  return runKernels('RmsNorm', { x, gain }, { eps })[0] as tf.Tensor2D;
}

/**
 * The composed form of the normalisation, which consists of TensorFlow.js operations. It is the reference for every
 * kernel.
 */
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

export interface AddNormInputs {
  /** [N, C] the stream so far */
  x: tf.Tensor2D;
  /** [N, C] the output of a block, which is added to the stream */
  delta: tf.Tensor2D;
  /** [C] */
  gain: tf.Tensor1D;
  /** added to the mean square, > 0 */
  eps: number;
  /** Whether this is the last addition to the stream; if so, the caller may only use `normed`. */
  isLast?: boolean;
}

/**
 * One addition to a residual stream: sum = x + delta, normed = rmsNorm(sum).
 * @returns both [N, C]
 * @throws ShapeError if shapes do not fit together
 */
export function addNorm(inputs: AddNormInputs): { sum: tf.Tensor2D; normed: tf.Tensor2D } {
  const { x, delta, gain, eps, isLast = false } = inputs;
  expectShape('addNorm: delta', delta, x.shape);
  expectShape('addNorm: gain', gain, [x.shape[1]]);
  if (!hasKernel('AddNorm', x, gain)) return addNormComposed(inputs);
  const [sum, normed] = runKernels('AddNorm', { x, delta, gain }, { eps, isLast });
  return { sum: sum as tf.Tensor2D, normed: normed as tf.Tensor2D };
}

/** The composed form of `addNorm`, which consists of TensorFlow.js operations. It is the reference for every kernel. */
export function addNormComposed({ x, delta, gain, eps }: AddNormInputs): { sum: tf.Tensor2D; normed: tf.Tensor2D } {
  const sum = tf.add(x, delta) as tf.Tensor2D;
  return { sum, normed: rmsNormComposed(sum, gain, eps) };
}
