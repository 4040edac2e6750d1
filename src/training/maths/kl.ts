// Estimates the KL to the reference policy for each token (the estimators are explained at joschu.net/blog/kl-approx).
// The KL is added to the loss or subtracted from the reward, with a fixed or an adaptive coefficient.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError } from '../../base/errors.ts';
import type { KlEstimator } from '../../config/names.ts';
import { maskedMean } from './loss.ts';

/**
 * The upper bound of a token's k3, which grows like e^d. The other estimators have no upper bound, so their gradient
 * never becomes 0 at large distances.
 */
const k3Bound = 10;
// The largest exponent that is used. This number is far above the exponent at which the bound of k3 takes effect
// (exp(2.7) > 10), and far below the exponent at which exp overflows and its gradient becomes 0·∞.
const exponentBound = 30;
// tf.fill creates the number on the device. A plain number would be copied to the device at every call.
const constant = (value: number): tf.Scalar => tf.fill<tf.Rank.R0>([], value);

/**
 * The KL estimate of each token, [B,T], with d = refLogprobs − logprobs: `k1` −d · `abs` |d| · `mse` d²/2 · `k3` exp(d)
 * − d − 1, at most 10, with no gradient beyond that (as in verl). Differentiable with respect to logprobs; `abs` has
 * gradient 0 at d = 0.
 */
export function kl(logprobs: tf.Tensor2D, refLogprobs: tf.Tensor2D, estimator: KlEstimator): tf.Tensor2D {
  return tf.tidy(() => estimators[estimator](tf.sub(refLogprobs, logprobs)));
}

/** The KL estimate of one token, for plain numbers: d = refLogprob − logprob. */
export function klOf(d: number, estimator: KlEstimator): number {
  const k3 = Math.min(k3Bound, Math.expm1(Math.min(d, exponentBound)) - d);
  return { k1: -d, abs: Math.abs(d), mse: (d * d) / 2, k3 }[estimator];
}

const estimators: Record<KlEstimator, (d: tf.Tensor2D) => tf.Tensor2D> = {
  k1: (d) => tf.neg(d),
  // Before the first update, d is 0 for every token. At 0, the gradient of tf.abs is ±1, so the sum of two relus is
  // used, whose gradient is 0.
  abs: (d) => tf.add(tf.relu(d), tf.relu(tf.neg(d))),
  mse: (d) => tf.mul(tf.mul(d, d), constant(0.5)),
  k3: (d) => tf.minimum(tf.sub(tf.expm1(tf.minimum(d, constant(exponentBound))), d), constant(k3Bound)),
};

/**
 * The mean KL estimate over the action tokens. The total loss contains this mean as `refKl`. Inputs are [B,T]. Throws
 * ConfigError for `k1`, because its expected gradient in a loss is zero.
 */
export function refKlLoss(
  { logprobs, refLogprobs, actionMask }: Record<'logprobs' | 'refLogprobs' | 'actionMask', tf.Tensor2D>,
  estimator: KlEstimator,
): tf.Scalar {
  if (estimator === 'k1')
    throw new ConfigError(
      "kl estimator: the expected gradient of 'k1' in the loss is zero; use 'k3', or put the KL in the reward.",
    );
  return tf.tidy(() => {
    // The log-probability of a masked token under the reference may be undefined, so it must not affect the mean or the
    // gradient.
    const masked = (x: tf.Tensor2D): tf.Tensor2D => tf.mul(x, actionMask);
    return maskedMean(kl(masked(logprobs), masked(refLogprobs), estimator), actionMask);
  });
}

/**
 * The maximum of n/horizon. In the published formula, the factor can fall to 0 if n is five times the horizon. With
 * more samples, the factor could become negative, and then a larger distance from the reference would be rewarded.
 */
const mostHorizons = 4;

/**
 * The next coefficient of the KL in the reward: β·(1 + clip(KL/target − 1, ±0.2)·n/horizon), where n/horizon is limited
 * to 4. `kl` is the measured mean, `n` the number of samples of this update, and `horizon` the number of samples after
 * which β may have changed by a fifth. Throws ConfigError if target or horizon is not positive.
 */
export function adaptKlCoef(
  beta: number,
  { kl, target, n, horizon }: { kl: number; target: number; n: number; horizon: number },
): number {
  if (!(target > 0) || !(horizon > 0))
    throw new ConfigError(
      `adaptKlCoef: target and horizon must be positive, got ${target} and ${horizon}; turn off the adaptation if the weight is to stay fixed.`,
    );
  const error = Math.min(0.2, Math.max(-0.2, kl / target - 1));
  return beta * (1 + error * Math.min(mostHorizons, n / horizon));
}
