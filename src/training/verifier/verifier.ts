// A verifier reads a response and says how likely it is to be right (MAPoRL 2502.18439): every token of the response is
// asked in training, the last one is believed. It is trained on as many right as wrong responses to each question: a
// verifier that sees easy questions mostly right learns how hard a question is, and nothing of the answer.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import type { Draws } from '../../base/random.ts';
import { maskedMean } from '../maths/loss.ts';

export interface BalancedSample {
  /** Indices of the responses to train on, in order. */
  indices: number[];
  /** Questions left out, as all their responses are right or all wrong. */
  oneSided: number;
}

/**
 * For each question as many right as wrong responses, as many as its rarer side has, drawn without replacement.
 * isRight [N], one question key each. Throws ShapeError when the lengths differ.
 */
export function balancedSample(
  isRight: readonly boolean[],
  questionKeys: readonly string[],
  draws: Draws,
): BalancedSample {
  if (isRight.length !== questionKeys.length)
    throw new ShapeError(
      `balancedSample: expected one question for each of ${isRight.length} responses, got ${questionKeys.length}.`,
    );
  const questions = new Map<string, { right: number[]; wrong: number[] }>();
  questionKeys.forEach((key, at) => {
    const sides = questions.get(key) ?? { right: [], wrong: [] };
    questions.set(key, sides);
    sides[isRight[at] ? 'right' : 'wrong'].push(at);
  });
  const indices: number[] = [];
  let oneSided = 0;
  for (const { right, wrong } of questions.values()) {
    const count = Math.min(right.length, wrong.length);
    if (count === 0) oneSided++;
    else indices.push(...draws.shuffle(right).slice(0, count), ...draws.shuffle(wrong).slice(0, count));
  }
  return { indices: indices.sort((a, b) => a - b), oneSided };
}

/**
 * Binary cross-entropy, averaged over every response token. logits, responseMask [B, T], isRight [B] of 0 and 1;
 * returns a scalar in nats, differentiable in logits. Without a response token it is 0.
 */
export function verifierLoss({
  logits,
  isRight,
  responseMask,
}: {
  logits: tf.Tensor2D;
  isRight: tf.Tensor1D;
  responseMask: tf.Tensor2D;
}): tf.Scalar {
  return tf.tidy(() => {
    // −y·log σ(x) − (1−y)·log σ(−x) = softplus(x) − y·x
    const label = tf.reshape(isRight, [-1, 1]);
    return maskedMean(tf.sub(tf.softplus(logits), tf.mul(label, logits)), responseMask);
  });
}

/**
 * Score in [0, 1] of each row, read at its last response token; NaN for a row without one.
 * logits, responseMask [B·T], row-major; returns [B]. Throws ShapeError when they do not fit `shape`.
 */
export function verifierScores(
  logits: ArrayLike<number>,
  responseMask: ArrayLike<number>,
  [rows, columns]: readonly [number, number],
): Float64Array {
  if (logits.length !== rows * columns || responseMask.length !== rows * columns)
    throw new ShapeError(
      `verifierScores: expected ${rows * columns} logits and mask entries for [${rows}, ${columns}], ` +
        `got ${logits.length} and ${responseMask.length}.`,
    );
  return Float64Array.from({ length: rows }, (_, row) => {
    let at = (row + 1) * columns - 1;
    while (at >= row * columns && !responseMask[at]) at--;
    return at < row * columns ? Number.NaN : 1 / (1 + Math.exp(-(logits[at] as number)));
  });
}
