// The log-probability of given tokens and the entropy of the whole distribution, in one pass over the logits. With p =
// softmax(z/τ): ∂logprob/∂z = (1[token] − p)/τ, ∂entropy/∂z = −p·(log p + entropy)/τ.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError } from '../../../base/errors.ts';
import { countUp, scalar } from '../constants.ts';
import { expectShape, hasKernel, runKernel, runKernels, withGradient } from '../kernel.ts';

tf.registerGradient({
  kernelName: 'TokenLogprobs',
  inputsToSave: ['logits', 'ids'],
  gradFunc: (dy, saved, attrs) => {
    const [logits, ids] = saved as [tf.Tensor, tf.Tensor];
    const [dLogprobs, dEntropy] = dy as unknown as [tf.Tensor, tf.Tensor];
    return { logits: () => runKernel('TokenLogprobsGrad', { logits, ids, dLogprobs, dEntropy }, attrs) };
  },
});

export interface TokenLogprobs {
  /** [N], natural logarithm */
  logprobs: tf.Tensor1D;
  /** [N], nats */
  entropy: tf.Tensor1D;
}

/**
 * Log-probabilities of tokens, and entropies of softmax(logits / temperature).
 * @param logits [N, V]
 * @param ids [N] int32, each in [0, V)
 * @param temperature > 0
 * @returns both differentiable in the logits
 * @throws ShapeError if ids is not [N]; ConfigError if the temperature is not positive
 */
export function tokenLogprobs(logits: tf.Tensor2D, ids: tf.Tensor1D, temperature: number): TokenLogprobs {
  expectShape('tokenLogprobs: ids', ids, [logits.shape[0]], 'int32');
  expectTemperature('tokenLogprobs', temperature);
  if (!hasKernel('TokenLogprobs')) return tokenLogprobsComposed(logits, ids, temperature);
  const [logprobs, entropy] = runKernels('TokenLogprobs', { logits, ids }, { temperature });
  return { logprobs: logprobs as tf.Tensor1D, entropy: entropy as tf.Tensor1D };
}

/**
 * The composed form of `tokenLogprobs`, which consists of TensorFlow.js operations. It is the reference for every
 * kernel.
 */
export function tokenLogprobsComposed(logits: tf.Tensor2D, ids: tf.Tensor1D, temperature: number): TokenLogprobs {
  const inverse = scalar(1 / temperature);
  const all = logSoftmaxRows(tf.mul(logits, inverse)); // [N, V]
  const logprobs = withGradient<tf.Tensor1D>([all], ([rows], save) => {
    const chosen = oneHotRows(ids, logits.shape[1]);
    save([chosen]);
    return {
      value: tf.sum(tf.mul(rows as tf.Tensor2D, chosen), 1),
      gradients: (dy, [mask]) => [tf.mul(tf.reshape(dy, [dy.size, 1]), mask as tf.Tensor2D)],
    };
  });
  const entropy = withGradient<tf.Tensor1D>([all], ([rows], save) => {
    const p = tf.exp(rows as tf.Tensor2D);
    save([rows as tf.Tensor2D, p]);
    return {
      value: tf.neg(tf.sum(tf.mul(p, rows as tf.Tensor2D), 1)),
      gradients: (dy, saved) => {
        const [logs, shares] = saved as [tf.Tensor2D, tf.Tensor2D];
        return [tf.mul(tf.neg(tf.reshape(dy, [dy.size, 1])), tf.mul(shares, tf.add(logs, scalar(1))))];
      },
    };
  });
  return { logprobs, entropy };
}

/** Throws ConfigError unless the temperature is a positive finite number. */
export function expectTemperature(op: string, temperature: number): void {
  if (!(temperature > 0 && temperature < Infinity))
    throw new ConfigError(
      `${op}: temperature must be a positive number, got ${String(temperature)}; for greedy sampling use the argmax.`,
    );
}

/** Row-wise log-softmax of [N, V]. */
export function logSoftmaxRows(logits: tf.Tensor2D): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([logits], ([input], save) => {
    const shifted = tf.sub(input as tf.Tensor2D, tf.max(input as tf.Tensor2D, 1, true));
    const value = tf.sub(shifted, tf.log(tf.sum(tf.exp(shifted), 1, true))) as tf.Tensor2D;
    save([value]);
    return {
      value,
      gradients: (dy, [logs]) => [tf.sub(dy, tf.mul(tf.exp(logs as tf.Tensor2D), tf.sum(dy, 1, true)))],
    };
  });
}

/** [N, V] float32: 1 at the id of each row, otherwise 0. */
export function oneHotRows(ids: tf.Tensor1D, vocabulary: number): tf.Tensor2D {
  const isToken = tf.equal(tf.reshape(ids, [ids.size, 1]), tf.reshape(countUp(vocabulary), [1, vocabulary]));
  return tf.cast(isToken, 'float32') as tf.Tensor2D;
}
