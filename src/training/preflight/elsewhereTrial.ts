// What an iteration costs that learns from something else than what was said in it, tried on a copy of one network with the
// longest rows there are. Units, of a few rows each, are never parted: a pair of sides, a demonstrated dialogue.
import * as tf from '@tensorflow/tfjs-core';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';
import { bucketOf } from '../rows/buckets.ts';
import type { Learning } from '../run/learning.ts';
import { scoringTokens, updateTokens } from '../rows/microbatchTokens.ts';
import { disposeNetwork, type Network } from '../team/network.ts';
import { bucketed, drawnShapes, recordedBytes } from './recordedMemory.ts';
import { tryTwice, type Cost } from './trial.ts';
import { freshCopy, isOnDevice, sizeOf, trialUnits } from './trialNetwork.ts';

/** What one network learns from. */
export interface OwnUnits<U> {
  n: number;
  own: readonly U[];
  /** Of them in an iteration. */
  perIteration: number;
}

export interface Elsewhere<U> {
  /** Those networks that learn, and have something to learn from. */
  of: readonly OwnUnits<U>[];
  /** Lengths of the rows of a unit; all have equally many. */
  lengths: (unit: U) => number[];
  /** Looks at rows as an iteration does before it learns from them. */
  score: (at: { copy: Network; n: number }, some: readonly U[]) => Promise<unknown>;
  /** One step over all. */
  learn: (at: { copy: Network; n: number }, some: readonly U[]) => Promise<unknown>;
}

/** What an iteration takes of it; null where nobody has anything to learn from. Changes nothing of the run. */
export async function tryElsewhere<U>(learning: Learning, given: Elsewhere<U>): Promise<Cost | null> {
  const { team } = learning;
  const { learning: settings, run } = team.config;
  const lengthOf = (unit: U) => Math.max(1, ...given.lengths(unit));
  const longestFirst = (units: readonly U[]) => units.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  const of = given.of.map((each) => {
    const own = longestFirst(each.own);
    return { ...each, own, length: lengthOf(own[0] as U) };
  });
  const costs = of.map(({ n, length }) => parameterCount(team.shapes[n] as ModelShape) * length);
  const dearest = of[costs.indexOf(Math.max(...costs))];
  if (!dearest) return null;
  const { n, own, length, perIteration } = dearest;
  const rowsOfOne = given.lengths(own[0] as U).length;
  const fitting = (tokensOf: typeof updateTokens) =>
    Math.max(1, Math.floor(tokensOf(learning.networks[n] as Network, length) / length / rowsOfOne));
  const minibatch = Math.max(1, perIteration / settings.numMinibatches);
  const microbatch = Math.min(minibatch, fitting(updateTokens));
  const copy = await freshCopy(learning, n);
  try {
    const pick = trialUnits(own, microbatch, rowsOfOne);
    const count = (some: readonly U[]) => some.length;
    const scoring = await tryTwice(pick, count, (some) => given.score({ copy, n }, some));
    const update = await tryTwice(pick, count, (some) => given.learn({ copy, n }, some));
    const total = of.reduce((sum, each) => sum + each.perIteration, 0);
    const steps = of.length * settings.updateEpochs * Math.min(settings.numMinibatches, Math.ceil(perIteration));
    const isSummed = minibatch > microbatch;
    const bucket = bucketOf(tf.getBackend());
    const tried = pick.map((some) => bucketed({ rows: rowsOfOne * some.length, columns: length }, bucket));
    const shapes = drawnShapes(own.map(given.lengths), {
      ...{ seed: run.seed, bucket, trajectories: minibatch, fittingRows: rowsOfOne * fitting(updateTokens) },
      updates: (steps * run.iterations) / of.length,
    });
    const { bytes } = copy.replays;
    const fixedBytes = 4 * sizeOf(copy);
    const recorded = recordedBytes(shapes, { tried, bytes, fixedBytes, copies: isSummed ? 2 : 1 });
    const scored = Math.min(perIteration, fitting(scoringTokens));
    return {
      ms: scoring(total).ms + steps * update(minibatch).ms,
      transientBytes: Math.max(scoring(scored).transientBytes, update(microbatch).transientBytes),
      keptBytes: of.length * ((isSummed ? fixedBytes : 0) + (isOnDevice() ? recorded : 0)),
    };
  } finally {
    disposeNetwork(copy);
  }
}
