// The most likely tokens of each row, and the rank of the sampled token. Even with a large vocabulary, only a few
// numbers per row are read from the device. Tokens are ordered by their logits, and equal ones by id, so every backend
// returns the same tokens.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { countUp, scalar } from '../constants.ts';
import { expectShape, hasKernel, runKernels } from '../kernel.ts';
import { expectTemperature, logSoftmaxRows, oneHotRows, tokenLogprobsComposed } from './tokenLogprobs.ts';

/** Probabilities here are natural logarithms of softmax(logits / temperature). */
export interface TopTokens {
  /** [N, k] int32: the most likely tokens, best first. */
  topIds: tf.Tensor2D;
  /** [N, k] */
  topLogprobs: tf.Tensor2D;
  /** [N]: the log-probability of the sampled token. */
  logprobs: tf.Tensor1D;
  /** [N], nats */
  entropy: tf.Tensor1D;
  /**
   * [N] int32: the number of tokens that come before the sampled token in this order; 0 if it is the most likely one.
   */
  ranks: tf.Tensor1D;
}

/**
 * The most likely tokens of each row.
 * @param logits [N, V]
 * @param ids [N] int32, each in [0, V): the sampled tokens
 * @param temperature > 0
 * @param k from 1 to V
 * @returns not differentiable
 * @throws ShapeError if ids is not [N] or k is not in this range; ConfigError if the temperature is not positive
 */
export function topTokens(
  logits: tf.Tensor2D,
  ids: tf.Tensor1D,
  { temperature, k }: { temperature: number; k: number },
): TopTokens {
  const [count, vocabulary] = logits.shape;
  expectShape('topTokens: ids', ids, [count], 'int32');
  expectTemperature('topTokens', temperature);
  if (!(Number.isInteger(k) && k >= 1 && k <= vocabulary))
    throw new ShapeError(
      `topTokens: k must be from 1 to ${String(vocabulary)}, got ${String(k)}; request fewer tokens.`,
    );
  if (!hasKernel('TopTokens')) return topTokensComposed(logits, ids, { temperature, k });
  const [topIds, topLogprobs, logprobs, entropy, ranks] = runKernels('TopTokens', { logits, ids }, { temperature, k });
  return { topIds, topLogprobs, logprobs, entropy, ranks } as TopTokens;
}

/** A number below every logit, which replaces the logits of tokens that have already been found. */
const taken = -3e38;

/**
 * The composed form of `topTokens`, which consists of TensorFlow.js operations. It is the reference for every kernel.
 */
export function topTokensComposed(
  logits: tf.Tensor2D,
  ids: tf.Tensor1D,
  { temperature, k }: { temperature: number; k: number },
): TopTokens {
  const [count, vocabulary] = logits.shape;
  return tf.tidy(() => {
    const places = tf.cast(tf.reshape(countUp(vocabulary), [1, vocabulary]), 'float32');
    const all = logSoftmaxRows(tf.mul(logits, scalar(1 / temperature)));
    const picked: [tf.Tensor, tf.Tensor][] = [];
    let rest = logits;
    for (let i = 0; i < k; i++) {
      const isTop = tf.equal(rest, tf.max(rest, 1, true));
      const first = tf.cast(tf.min(tf.where(isTop, places, scalar(vocabulary)), 1), 'int32') as tf.Tensor1D;
      const own = oneHotRows(first, vocabulary);
      picked.push([first, tf.sum(tf.mul(all, own), 1)]);
      rest = tf.where(tf.greater(own, scalar(0)), tf.fill(rest.shape, taken), rest);
    }
    const said = tf.sum(tf.mul(logits, oneHotRows(ids, vocabulary)), 1, true);
    const isBefore = tf.less(places, tf.reshape(tf.cast(ids, 'float32'), [count, 1]));
    const leads = tf.logicalOr(tf.greater(logits, said), tf.logicalAnd(tf.equal(logits, said), isBefore));
    return {
      topIds: tf.stack(
        picked.map(([id]) => id),
        1,
      ) as tf.Tensor2D,
      topLogprobs: tf.stack(
        picked.map(([, logprob]) => logprob),
        1,
      ) as tf.Tensor2D,
      ...tokenLogprobsComposed(logits, ids, temperature),
      ranks: tf.cast(tf.sum(tf.cast(leads, 'float32'), 1), 'int32') as tf.Tensor1D,
    };
  });
}
