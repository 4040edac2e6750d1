// Samples tokens by the inverse of the cumulative distribution. The caller passes one uniform random number for each
// row, so the result is reproducible on every backend. (`tf.multinomial` on WebGPU returns index 0 for row 0.)
import * as tf from '@tensorflow/tfjs-core';
import { scalar } from '../constants.ts';
import { expectShape, hasKernel, runKernels } from '../kernel.ts';
import { expectTemperature, logSoftmaxRows, oneHotRows } from './tokenLogprobs.ts';

export interface SampledTokens {
  /** [N] int32 */
  ids: tf.Tensor1D;
  /** [N], natural logarithm of the sampled token's probability at this temperature */
  logprobs: tf.Tensor1D;
}

/**
 * Samples one token for each row from softmax(logits / temperature): its id is the number of tokens whose cumulative
 * probability is ≤ the row's uniform number, but at most V − 1.
 * @param logits [N, V]
 * @param uniforms [N], each in [0, 1)
 * @param temperature > 0
 * @returns not differentiable
 * @throws ShapeError if uniforms is not [N]; ConfigError if the temperature is not positive
 */
export function sampleTokens(logits: tf.Tensor2D, uniforms: tf.Tensor1D, temperature: number): SampledTokens {
  expectShape('sampleTokens: uniforms', uniforms, [logits.shape[0]]);
  expectTemperature('sampleTokens', temperature);
  if (!hasKernel('SampleTokens')) return sampleTokensComposed(logits, uniforms, temperature);
  const [ids, logprobs] = runKernels('SampleTokens', { logits, uniforms }, { temperature });
  return { ids: ids as tf.Tensor1D, logprobs: logprobs as tf.Tensor1D };
}

/**
 * The composed form of the sampling, which consists of TensorFlow.js operations. It is the reference for every kernel.
 */
export function sampleTokensComposed(logits: tf.Tensor2D, uniforms: tf.Tensor1D, temperature: number): SampledTokens {
  return tf.tidy(() => {
    const [count, vocabulary] = logits.shape;
    const all = logSoftmaxRows(tf.mul(logits, scalar(1 / temperature))); // [N, V]
    const cumulative = tf.cumsum(tf.exp(all), 1);
    const isPassed = tf.cast(tf.lessEqual(cumulative, tf.reshape(uniforms, [count, 1])), 'float32');
    const ids = tf.cast(tf.minimum(tf.sum(isPassed, 1), scalar(vocabulary - 1)), 'int32') as tf.Tensor1D;
    return { ids, logprobs: tf.sum(tf.mul(all, oneHotRows(ids, vocabulary)), 1) as tf.Tensor1D };
  });
}
