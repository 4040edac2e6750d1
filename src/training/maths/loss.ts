// The clipped policy loss (PPO 1707.06347, dual clip 1912.09729) with ratios for single tokens, turns, agents' parts of
// dialogues, or whole dialogues. The file also contains the clipped value loss and two numbers for judging an update:
// approxKl and the explained variance. Every aggregation is one weighted sum Σ weight·L over tokens. The weights are
// computed on the host, so the device code is the same for all aggregations.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { ratioLevels, type Aggregation, type Surrogate } from '../../config/names.ts';
import {
  maskArrays,
  preparedRatio,
  prepareSpans,
  spanMean,
  spanTensors,
  tokenSpans,
  type Logprobs,
  type MaskArrays,
  type Masks,
  type RatioOptions,
  type Spans,
} from './ratio.ts';

export interface PolicyOptions extends RatioOptions {
  /** The ratio is clipped to [1 − clipLow, 1 + clipHigh]. */
  clipLow: number;
  clipHigh: number;
  /** The bound c of dual clip PPO, above 1; 0 turns it off. */
  dualClip: number;
  /** `clipped` if absent. */
  surrogate?: Surrogate;
  /** The temperatures of the gate of SAPO, for positive and for negative advantages. */
  gatePositive?: number;
  gateNegative?: number;
  /** The units over which the losses are averaged. */
  aggregation: Aggregation;
  /** The largest number of tokens of a part; needed for the aggregation `constant`. */
  maxActionTokens?: number;
}

export type PolicyParts = {
  loss: tf.Scalar;
  ratio: tf.Tensor2D; // [B, T]
  won: tf.Tensor2D; // [B, T] the side that min() chose: 0 unclipped (or masked), 1 clipped, 2 dual clip; CISPO: 1 if r is cut; GMPO: 1 if the token's log-ratio is bounded
  clipFraction: tf.Scalar; // share of the spans with won = 1
  dualClipFraction: tf.Scalar; // share of the spans with won = 2
};

/** For each token, its weight in the loss and its weight in a mean over spans (`share`); [B·T] each. */
export type LossWeights = { weight: Float32Array; share: Float32Array };

/**
 * The data of the policy loss on the device, for one minibatch. The owner disposes of these data with
 * `tf.dispose(prepared)`.
 */
export type PolicyTensors = {
  spans: Spans;
  weight: tf.Tensor2D; // [B, T] weight of the token in the loss
  share: tf.Tensor2D; // [B, T] weight of the token in a mean over spans
  bounds: Record<keyof ReturnType<typeof policyBounds>, tf.Scalar>;
  turnMean: RatioOptions['turnMean'];
  surrogate: Surrogate;
};

// A dual clip that no ratio can reach. With this number, the dual clip has no effect, so that the same device program
// can also compute the loss without a dual clip.
const dualClipOff = 1e9;

/** Throws ConfigError for incompatible options. The message suggests the nearest valid setting. */
export function checkPolicyOptions(options: PolicyOptions): void {
  const { ratioLevel, aggregation, dualClip, maxActionTokens } = options;
  // If the aggregation's units were smaller than the spans of a ratio, a mean could include only some of the tokens
  // with a common ratio.
  const isFitting =
    ratioLevel === 'token' ||
    (aggregation !== 'constant' && ratioLevels.indexOf(aggregation) >= ratioLevels.indexOf(ratioLevel));
  if (!isFitting) {
    throw new ConfigError(
      `aggregation: '${aggregation}' cannot be combined with ratioLevel '${ratioLevel}', because all tokens of a ${ratioLevel} then have one common ratio; use aggregation = '${ratioLevel}' or ratioLevel = 'token'.`,
    );
  }
  if (aggregation === 'constant' && !((maxActionTokens ?? 0) > 0)) {
    throw new ConfigError(
      `maxActionTokens: aggregation 'constant' divides by this number, so it must be positive, got ${maxActionTokens}; set it to the maximum number of action tokens in a row, or use aggregation = 'token'.`,
    );
  }
  if (dualClip !== 0 && !(dualClip > 1))
    throw new ConfigError(
      `dualClip: expected a number above 1, or 0 to turn it off, got ${dualClip}; use dualClip = 3.`,
    );
}

/** The number of parts, including those of silent agents. All rows of one agent in one trajectory are one part. */
export function partCount({ trajectoryIds, agentIds, shape: [rows] }: MaskArrays): number {
  if (!agentIds) return rows;
  return new Set(Array.from({ length: rows }, (_, b) => `${trajectoryIds[b]},${agentIds[b]}`)).size;
}

/**
 * The weights of each token: `weight` in the loss and `share` in a plain mean over spans. Both arrays are [B·T], and
 * contain 0 for masked tokens. A span consists of the tokens that have a common ratio. The loss is averaged over the
 * spans of each unit of the aggregation, and then over these units. With `constant`, the sum over tokens is instead
 * divided by the number of agents' parts times the maximum number of tokens in a part. Units and spans without an
 * action token are not counted. Throws ConfigError for incompatible options, and ShapeError for arrays of the wrong
 * size.
 */
export function lossWeights(masks: MaskArrays, options: PolicyOptions): LossWeights {
  checkPolicyOptions(options);
  const { ratioLevel, aggregation } = options;
  const spans = tokenSpans(masks, ratioLevel);
  const units = tokenSpans(masks, aggregation === 'constant' ? 'trajectory' : aggregation);

  const spanCounts = new Float64Array(units.lengths.length); // the number of spans in each unit
  const isSeen = new Uint8Array(spans.lengths.length);
  spans.ids.forEach((span, at) => {
    if (span < 0 || isSeen[span]) return;
    isSeen[span] = 1;
    const unit = units.ids[at] as number;
    spanCounts[unit] = (spanCounts[unit] as number) + 1;
  });

  const weight = new Float32Array(spans.ids.length);
  const share = new Float32Array(spans.ids.length);
  spans.ids.forEach((span, at) => {
    if (span < 0) return;
    const length = spans.lengths[span] as number;
    const ofUnit =
      aggregation === 'constant'
        ? (options.maxActionTokens as number)
        : (spanCounts[units.ids[at] as number] as number);
    weight[at] = 1 / (units.lengths.length * ofUnit * length);
    share[at] = 1 / (spans.lengths.length * length);
  });
  return { weight, share };
}

type BoundOptions = 'logratioClamp' | 'clipLow' | 'clipHigh' | 'dualClip' | 'gatePositive' | 'gateNegative';

/** The bounds of the clips, and the temperatures of a gate. The device program gets them as data, not as constants. */
export function policyBounds(options: Pick<PolicyOptions, BoundOptions>) {
  return {
    ...{ gatePositive: options.gatePositive ?? 1, gateNegative: options.gateNegative ?? 1 },
    logratioClamp: options.logratioClamp,
    low: 1 - options.clipLow,
    high: 1 + options.clipHigh,
    dual: options.dualClip === 0 ? dualClipOff : options.dualClip,
  };
}

/**
 * The part of `policyLoss` that runs on the device. This function uploads no data, and its operations are the same for
 * all data. logprobs, oldLogprobs, advantages [B,T]. Under `tf.grads` or `tf.variableGrads`, the caller must call
 * `tf.keep` on the results that it needs in addition to the loss.
 */
export function preparedPolicyLoss(
  batch: Logprobs & { advantages: tf.Tensor2D },
  { spans, weight, share, bounds, turnMean, surrogate }: PolicyTensors,
): PolicyParts {
  return tf.tidy(() => {
    const advantage = spanMean(batch.advantages, spans);
    const isBounded = surrogate === 'gmpo';
    const bound = (logratio: tf.Tensor2D) => boundedBySign(logratio, advantage, bounds);
    const ratio = preparedRatio(batch, spans, {
      turnMean: isBounded ? 'geometric' : turnMean,
      logratioClamp: bounds.logratioClamp,
      ...(isBounded && { bound }),
    });
    const { losses, isClipped, isDual } = surrogateLosses[surrogate]({
      ...{ ratio, bounds, negated: tf.neg(advantage), advantage, logprobs: batch.logprobs },
      logratio: () => tf.mul(tf.sub(batch.logprobs, batch.oldLogprobs), spans.actionMask),
    });
    return {
      loss: tf.sum(tf.mul(losses, weight)) as tf.Scalar,
      ratio,
      won: tf.add(isClipped, tf.add(isDual, isDual)) as tf.Tensor2D,
      clipFraction: tf.sum(tf.mul(isClipped, share)) as tf.Scalar,
      dualClipFraction: tf.sum(tf.mul(isDual, share)) as tf.Scalar,
    };
  });
}

interface SurrogateInputs {
  ratio: tf.Tensor;
  advantage: tf.Tensor;
  /** −A */
  negated: tf.Tensor;
  logprobs: tf.Tensor;
  /** Computes the log-ratio of each token, without bounds. */
  logratio: () => tf.Tensor;
  bounds: PolicyTensors['bounds'];
}

/** The loss of each token, and which tokens were clipped or bounded by the dual clip (1 or 0); [B, T] each. */
interface TokenLosses {
  losses: tf.Tensor;
  isClipped: tf.Tensor;
  isDual: tf.Tensor;
}

const cutTo = (ratio: tf.Tensor, { low, high }: PolicyTensors['bounds']) => tf.minimum(tf.maximum(ratio, low), high);

const surrogateLosses: Record<Surrogate, (inputs: SurrogateInputs) => TokenLosses> = {
  clipped({ ratio, advantage, negated, bounds }) {
    const unclipped = tf.mul(negated, ratio);
    const clipped = tf.mul(negated, cutTo(ratio, bounds));
    const pessimist = tf.maximum(unclipped, clipped);
    // If A ≥ 0, the loss is at most 0, and c·|A| is at least 0. The minimum of both therefore differs from the loss
    // only if A < 0.
    const bound = tf.mul(tf.abs(advantage), bounds.dual);
    return {
      losses: tf.minimum(pessimist, bound),
      isDual: tf.cast(tf.greater(pessimist, bound), 'float32'),
      isClipped: tf.mul(
        tf.cast(tf.greater(clipped, unclipped), 'float32'),
        tf.cast(tf.lessEqual(pessimist, bound), 'float32'),
      ),
    };
  },
  cispo({ ratio, negated, logprobs, bounds }) {
    const weight = constantOf(cutTo(ratio, bounds));
    const isClipped = tf.cast(tf.notEqual(weight, ratio), 'float32');
    return { losses: tf.mul(tf.mul(negated, weight), logprobs), isClipped, isDual: tf.zerosLike(isClipped) };
  },
  sapo({ ratio, advantage, negated, bounds }) {
    const isPositive = tf.greater(advantage, tf.zerosLike(advantage));
    const heat = tf.where(
      isPositive,
      tf.mul(tf.onesLike(advantage), bounds.gatePositive),
      tf.mul(tf.onesLike(advantage), bounds.gateNegative),
    );
    const gate = tf.sigmoid(tf.mul(heat, tf.sub(ratio, tf.onesLike(ratio))));
    const four = tf.fill([], 4);
    const none = tf.zerosLike(ratio);
    return { losses: tf.mul(negated, tf.div(tf.mul(gate, four), heat)), isClipped: none, isDual: none };
  },
  gmpo({ ratio, advantage, negated, logratio, bounds }) {
    const free = logratio();
    const isBounded = tf.notEqual(boundedBySign(free, advantage, bounds), free);
    const isLearned = tf.notEqual(advantage, tf.zerosLike(advantage));
    const isClipped = tf.cast(tf.logicalAnd(isBounded, isLearned), 'float32');
    return { losses: tf.mul(negated, ratio), isClipped, isDual: tf.zerosLike(isClipped) };
  },
};

/**
 * The log-ratio of each token as GMPO bounds it: from above by clipHigh if the advantage is positive, and from below by
 * −clipLow otherwise. All [B,T].
 */
function boundedBySign<T extends tf.Tensor>(logratio: T, advantage: tf.Tensor, bounds: PolicyTensors['bounds']): T {
  const one = tf.onesLike(bounds.low);
  return tf.where(
    tf.greater(advantage, tf.zerosLike(advantage)),
    tf.minimum(logratio, tf.sub(bounds.high, one)),
    tf.maximum(logratio, tf.sub(bounds.low, one)),
  ) as T;
}

/** The same values, through which no gradient flows. */
const constantOf = (x: tf.Tensor): tf.Tensor =>
  tf.customGrad((given) => ({
    value: tf.clone(given as tf.Tensor),
    gradFunc: (dy: tf.Tensor) => tf.zerosLike(dy),
  }))(x);

/**
 * L = max(−A·r, −A·clip(r, 1−clipLow, 1+clipHigh)), and at most −dualClip·A if A < 0; for CISPO −A·clip(r)·log π with a
 * constant clip(r), for SAPO −A·4σ(τ(r − 1))/τ, and for GMPO −A·r with bounded log-ratios in r. The losses are averaged
 * with the given aggregation. logprobs, oldLogprobs, advantages [B,T]; A is the mean of the advantages over the span of
 * the ratio. Differentiable with respect to logprobs. Masks that are tensors are copied back to the host, so a training
 * step uses `preparedPolicyLoss` instead. Throws ConfigError for incompatible options.
 */
export function policyLoss(batch: Logprobs & Masks & { advantages: tf.Tensor2D }, options: PolicyOptions): PolicyParts {
  return tf.tidy(() => {
    const masks = maskArrays(batch, batch.logprobs.shape);
    const { weight, share } = lossWeights(masks, options);
    return preparedPolicyLoss(batch, {
      spans: spanTensors(prepareSpans(masks, options.ratioLevel)),
      weight: tf.tensor2d(weight, batch.logprobs.shape),
      share: tf.tensor2d(share, batch.logprobs.shape),
      bounds: Object.fromEntries(
        Object.entries(policyBounds(options)).map(([name, bound]) => [name, tf.scalar(bound)]),
      ) as PolicyTensors['bounds'],
      surrogate: options.surrogate ?? 'clipped',
      turnMean: options.turnMean,
    });
  });
}

/** The mean of x [B,T] over the positions where mask [B,T] is 1; 0 if there are no such positions. */
export function maskedMean(x: tf.Tensor, mask: tf.Tensor): tf.Scalar {
  return tf.tidy(() => {
    const count = tf.sum(mask);
    return tf.div(tf.sum(tf.mul(x, mask)), tf.maximum(count, tf.onesLike(count)));
  });
}

/**
 * The masked mean of max((v − R)², (v_old + clip(v − v_old, ±valueClip) − R)²)/2; all [B,T]. `valueClip` is in units of
 * the value; it may be a scalar tensor, so that a captured step uploads nothing.
 */
export function valueLoss(
  { values, oldValues, returns, actionMask }: Record<'values' | 'oldValues' | 'returns' | 'actionMask', tf.Tensor2D>,
  { valueClip }: { valueClip: number | tf.Scalar },
): tf.Scalar {
  return tf.tidy(() => {
    const reach = typeof valueClip === 'number' ? tf.scalar(valueClip) : valueClip;
    const step = tf.minimum(tf.maximum(tf.sub(values, oldValues), tf.neg(reach)), reach);
    const free = tf.sub(values, returns);
    const bounded = tf.sub(tf.add(oldValues, step), returns);
    const errors = maskedMean(tf.maximum(tf.mul(free, free), tf.mul(bounded, bounded)), actionMask);
    // tf.fill creates the number on the device. The plain number 0.5 would be copied to the device at every call.
    return tf.mul(errors, tf.fill([], 0.5)) as tf.Scalar;
  });
}

/**
 * The mean of (r − 1) − log r over action tokens. The ratios r are always ratios of single tokens, without bounds.
 * Except for rounding, the result is never negative.
 */
export function approxKl(logprobs: tf.Tensor2D, oldLogprobs: tf.Tensor2D, actionMask: tf.Tensor2D): tf.Scalar {
  return tf.tidy(() => {
    const logratio = tf.mul(tf.sub(logprobs, oldLogprobs), actionMask);
    return maskedMean(tf.sub(tf.expm1(logratio), logratio), actionMask);
  });
}

/**
 * 1 − var(R − v)/var(R) over the entries whose mask is 1, or over all entries without a mask. The result is 1 for
 * perfect values, and 0 or less for values that are no better than a constant. The result is NaN if R is constant.
 */
export function explainedVariance(
  values: ArrayLike<number>,
  returns: ArrayLike<number>,
  mask: ArrayLike<number> = new Uint8Array(values.length).fill(1),
): number {
  if (values.length !== returns.length || mask.length !== returns.length)
    throw new ShapeError(
      `explainedVariance: values, returns and mask must have the same length, got ${values.length}, ${returns.length} and ${mask.length}.`,
    );
  const chosen = Array.from(mask, (_, at) => at).filter((at) => mask[at]);
  const variance = (of: (at: number) => number): number => {
    const centre = chosen.reduce((sum, at) => sum + of(at), 0) / chosen.length;
    return chosen.reduce((sum, at) => sum + (of(at) - centre) ** 2, 0) / chosen.length;
  };
  const total = variance((at) => returns[at] as number);
  if (!(total > 0)) return Number.NaN;
  return 1 - variance((at) => (returns[at] as number) - (values[at] as number)) / total;
}

/** The explained variance over all entries of tables [trajectory][step]. */
export function explainedOfAll(values: readonly Float64Array[], returns: readonly Float64Array[]): number {
  const flat = (rows: readonly Float64Array[]) => rows.flatMap((row) => [...row]);
  return explainedVariance(flat(values), flat(returns));
}
