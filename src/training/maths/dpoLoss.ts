// DPO (2305.18290) and its variants make the preferred of two completions of a prompt more likely than the other,
// relative to a frozen reference. Robust DPO (2403.00409) is corrected for swapped pairs. SimPO (2405.14734) uses means
// per token and no reference. IPO (2310.12036) uses the mean per token (as in TRL) or the sum (as in OpenRLHF).
// Label smoothing is the method of conservative DPO. The hinge loss is the loss of SLiC (2305.10425).
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import type { PreferenceKind } from '../../config/names.ts';
import { scalar } from '../../engine/ops/constants.ts';

export interface PreferenceOptions {
  /** How strongly the policy is kept near the reference, > 0. */
  beta: number;
  kind: PreferenceKind;
  /** ε in [0, 0.5), the assumed share of pairs with swapped labels. Only `sigmoid` and `robust` use it. */
  smoothing: number;
  /** γ ≥ 0, the target margin of `simpo`. */
  margin: number;
}

/** A preferred and a rejected trajectory. Each is given as the indices of the rows of the trained agent. */
export interface RowPair {
  winner: readonly number[];
  loser: readonly number[];
}

/**
 * The preference loss of the given kind, averaged over pairs: sigmoid −(1−ε)·log σ(βΔ) − ε·log σ(−βΔ) · robust [−(1−ε)·log σ(βΔ) + ε·log σ(−βΔ)] / (1 − 2ε) · simpo −log σ(βΔ − γ) · hinge max(0, 1
 * − βΔ) · ipo, ipoOfSum (Δ − 1/(2β))². delta [P], Δ of each pair in nats; returns a scalar, differentiable in delta.
 * With `weights` [P] the result is the weighted sum of the losses instead of their mean: weights of 1/P give the mean,
 * and 0 leaves a pair out. Throws ConfigError if beta or smoothing is out of range, and ShapeError if there are no
 * pairs.
 */
export function dpoLoss(
  delta: tf.Tensor,
  { beta, kind, smoothing, margin }: PreferenceOptions,
  weights?: tf.Tensor1D,
): tf.Scalar {
  if (!(beta > 0)) throw new ConfigError(`dpoLoss: beta must be positive, got ${beta}; use 0.1.`);
  if (!(smoothing >= 0 && smoothing < 0.5))
    throw new ConfigError(`dpoLoss: smoothing must lie in [0, 0.5), got ${smoothing}; 0 turns it off.`);
  if (delta.size === 0)
    throw new ShapeError('dpoLoss: expected at least one pair, got none; find pairs with minePairs, or import pairs.');
  const total = (losses: tf.Tensor) => (weights ? tf.sum(tf.mul(losses, weights)) : tf.mean(losses)) as tf.Scalar;
  return tf.tidy(() => {
    if (kind === 'ipo' || kind === 'ipoOfSum') {
      const error = tf.sub(delta, scalar(1 / (2 * beta)));
      return total(tf.mul(error, error));
    }
    const scaled = tf.mul(delta, scalar(beta));
    if (kind === 'hinge') return total(tf.relu(tf.sub(scalar(1), scaled)));
    // −log σ(x) = softplus(−x): the value and the gradient are finite for any x.
    const kept = tf.softplus(kind === 'simpo' ? tf.sub(scalar(margin), scaled) : tf.neg(scaled));
    if (smoothing === 0 || kind === 'simpo') return total(kept);
    const swapped = tf.softplus(scaled);
    // The mean of the robust loss over pairs of which a share ε is swapped equals the mean of the sigmoid loss over the
    // right pairs.
    const [share, whole] = kind === 'robust' ? [-smoothing, 1 - 2 * smoothing] : [smoothing, 1];
    return total(tf.add(tf.mul(kept, scalar((1 - smoothing) / whole)), tf.mul(swapped, scalar(share / whole))));
  });
}

/** Whether the two sides are compared by their means per token instead of their sums. */
export const goesByMean = (kind: PreferenceKind): boolean => kind === 'ipo' || kind === 'simpo';

/**
 * The signs with which `preferenceDelta` adds up the rows of a batch, computed on the host. [P·B]: +1 if row b belongs
 * to the winner of pair p, −1 if it belongs to the loser, otherwise 0. For losses that use means per token, each entry
 * is divided by the number of action tokens of its side. tokenCounts [B] is the number of action tokens of each row.
 * Throws ShapeError for a row outside 0 … B − 1 and for a side without rows.
 */
export function pairSigns(
  pairs: readonly RowPair[],
  tokenCounts: ArrayLike<number>,
  kind: PreferenceKind,
): Float32Array {
  const rows = tokenCounts.length;
  const signs = new Float32Array(pairs.length * rows);
  pairs.forEach(({ winner, loser }, p) => {
    for (const [side, sign] of [
      [winner, 1],
      [loser, -1],
    ] as const) {
      if (side.length === 0)
        throw new ShapeError(
          `pairSigns: pair ${p} has a side without rows; the trained agent must speak on both sides.`,
        );
      const tokens = side.reduce((sum, row) => sum + (tokenCounts[row] ?? 0), 0);
      const share = goesByMean(kind) ? 1 / Math.max(1, tokens) : 1;
      for (const row of side) {
        if (!(row >= 0 && row < rows))
          throw new ShapeError(`pairSigns: pair ${p} contains row ${row}, but there are only ${rows} rows.`);
        const at = p * rows + row;
        signs[at] = (signs[at] as number) + sign * share;
      }
    }
  });
  return signs;
}

/**
 * Δ = (logπ − logπ_ref)_winner − (logπ − logπ_ref)_loser of each pair, [P]. The log-probabilities are summed over
 * action tokens or, with signs for means, averaged. logprobs, refLogprobs, actionMask [B, T]; with `refLogprobs: null`,
 * logπ_ref is left out. signs [P, B] from `pairSigns`. Differentiable in logprobs; masked tokens have gradient 0.
 */
export function preferenceDelta(
  batch: { logprobs: tf.Tensor2D; refLogprobs: tf.Tensor2D | null; actionMask: tf.Tensor2D },
  signs: tf.Tensor2D,
): tf.Tensor1D {
  return tf.tidy(() => {
    const { logprobs, refLogprobs, actionMask } = batch;
    const gap = refLogprobs ? tf.sub(logprobs, refLogprobs) : logprobs;
    const ofRow = tf.sum(tf.mul(gap, actionMask), 1, true); // [B, 1]
    return tf.reshape(tf.matMul(signs, ofRow as tf.Tensor2D), [-1]) as tf.Tensor1D;
  });
}

// Makes preference pairs from the groups of rollouts of an iteration. In each group the best rollout is paired with the
// worst, the second best with the second worst, and so on, as long as their rewards differ.

/** Indices into the rewards from which the pairs were made. */
export interface PreferencePair {
  winner: number;
  loser: number;
  /** The reward of the winner minus the reward of the loser, > 0. */
  gap: number;
}

/**
 * The pairs, ordered by group. Within a group, the pair with the largest gap comes first. A rollout is in at most one
 * pair. Members with equal rewards keep their order, so the result depends only on rewards and keys. A group with equal
 * rewards, or with one member, gives no pair. `rewards` is [N], with one key for each reward. `minGap` > 0 is the
 * smallest difference of rewards in a pair. Throws ShapeError if the lengths differ, and ConfigError if `minGap` is not
 * positive.
 */
export function minePairs(
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  { minGap }: { minGap: number },
): PreferencePair[] {
  if (rewards.length !== groupKeys.length)
    throw new ShapeError(`minePairs: expected one key for each of ${rewards.length} rewards, got ${groupKeys.length}.`);
  if (!(minGap > 0))
    throw new ConfigError(
      `minePairs: minGap must be positive, got ${minGap}; in a tie neither side is preferred. Use 1e-6.`,
    );
  return [...placesByKey(groupKeys).values()].flatMap((members) => {
    const reward = (at: number) => rewards[at] as number;
    const best = [...members].sort((a, b) => reward(b) - reward(a));
    const pairs: PreferencePair[] = [];
    for (let rank = 0; rank < Math.floor(best.length / 2); rank++) {
      const [winner, loser] = [best[rank] as number, best[best.length - 1 - rank] as number];
      const gap = reward(winner) - reward(loser);
      if (gap < minGap) break;
      pairs.push({ winner, loser, gap });
    }
    return pairs;
  });
}
