// Σ weights·x, the last operation of every loss. Its gradient needs one tensor, whereas the gradient of a mean that is
// composed of TensorFlow.js operations needs six tensors.
import * as tf from '@tensorflow/tfjs-core';
import { expectShape, withGradient } from '../kernel.ts';

/**
 * Σᵢ xᵢ·weightsᵢ.
 * @param x any shape
 * @param weights the same shape; not differentiated
 * @returns scalar
 * @throws ShapeError when the shapes differ.
 */
export function weightedSum(x: tf.Tensor, weights: tf.Tensor): tf.Scalar {
  expectShape('weightedSum: weights', weights, x.shape);
  return withGradient<tf.Scalar>([x], ([values], save) => {
    save([weights]);
    return {
      value: tf.sum(tf.mul(values as tf.Tensor, weights)),
      gradients: (dy, [saved]) => [tf.mul(saved as tf.Tensor, dy)],
    };
  });
}
