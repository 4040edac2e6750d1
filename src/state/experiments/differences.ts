// Computes the difference between two arms, with its confidence interval. If the arms have at least two seeds in
// common, the differences for each common seed are used. If each arm has a single run and both were measured on the
// same problems, the differences for each problem are used. Otherwise, the arms are treated as independent samples.
import { bitsOf } from '../../base/bits.ts';
import {
  pairedShares,
  shareDifference,
  tInterval,
  welch,
  type Estimate,
  type PairedShares,
} from '../../base/intervals.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { placeAt } from '../trainer/runView.ts';
import { tokensByIteration, type StoredCurves } from './storedCurves.ts';
import type { Arm } from './arms.ts';

export type Axis = 'iteration' | 'tokens';

export type How = 'by seed' | 'by problem' | 'apart';

export interface Difference extends Estimate {
  how: How;
  /** The number of seeds or problems that were compared. */
  count: number;
  /**
   * The shares of problems that only one of the arms answered correctly, if problems were compared one by one;
   * otherwise null.
   */
  paired: PairedShares | null;
}

/** The measurements of each run of an arm at the position of the comparison. */
export interface MeasuredArm {
  arm: Arm;
  /** The evaluation of each run of the arm. */
  evaluations: readonly Evaluation[];
  /**
   * The accuracy of the arm. Its interval is the Wilson interval for a single run, and the t-interval over seeds for
   * several runs.
   */
  right: Estimate;
}

/**
 * The position at which runs are compared: the last iteration, or the largest number of tokens, at which all runs were
 * measured.
 */
export function commonEnd(runs: readonly StoredCurves[], axis: Axis): number | null {
  const ends = runs.map((run) => {
    const place = placesOf(run, axis);
    const last = run.evaluations.findLast(({ iteration }) => place(iteration) !== null);
    return last ? place(last.iteration) : null;
  });
  return ends.includes(null) || ends.length === 0 ? null : Math.min(...(ends as number[]));
}

/**
 * Returns a function that converts an iteration of a run to its position on the axis, or to null if this position is
 * unknown.
 */
export function placesOf(run: StoredCurves, axis: Axis): (iteration: number) => number | null {
  if (axis === 'iteration') return (iteration) => iteration;
  const tokens = tokensByIteration(run);
  return (iteration) => tokens?.get(iteration) ?? null;
}

/** Metrics that depend on the speed of the computer and not on learning. */
const isTimed = (name: string) => name.startsWith('time/') || name === 'charts/SPS';

/**
 * The first iteration in which two runs differ in any metric, even if only in the last bit. Null if the metrics are
 * equal in all iterations that both runs have.
 */
export function partedAt(first: Pick<StoredCurves, 'metrics'>, second: Pick<StoredCurves, 'metrics'>): number | null {
  const others = new Map(second.metrics.map(({ iteration, values }) => [iteration, values]));
  const parted = first.metrics.find(({ iteration, values }) => {
    const there = others.get(iteration) as Record<string, number> | undefined;
    return there && Object.entries(values).some(([name, value]) => !isTimed(name) && !Object.is(value, there[name]));
  });
  return parted?.iteration ?? null;
}

/**
 * The last measurements of each arm up to the given position. An arm is left out if one of its runs has no measurement
 * up to this position.
 */
export function measuredAt(arms: readonly Arm[], axis: Axis, end: number): MeasuredArm[] {
  return arms.flatMap((arm) => {
    const evaluations = arm.runs.flatMap((run) => {
      const place = placesOf(run, axis);
      return run.evaluations.findLast(({ iteration }) => (place(iteration) ?? Infinity) <= end) ?? [];
    });
    if (evaluations.length < arm.runs.length) return [];
    const [first] = evaluations;
    const shares = evaluations.map(({ accuracy }) => accuracy);
    const right = shares.length > 1 || !first ? tInterval(shares) : { ...first, mean: first.accuracy };
    return [{ arm, evaluations, right: { mean: right.mean, low: right.low, high: right.high } }];
  });
}

/** The accuracy of the first arm minus the accuracy of the second arm. */
export function differenceOf(first: MeasuredArm, second: MeasuredArm): Difference {
  const seedsOf = ({ arm }: MeasuredArm) => arm.runs.map(({ run }) => run.config.run.seed);
  const [ours, theirs] = [seedsOf(first), seedsOf(second)];
  const common = ours.filter((seed) => theirs.includes(seed));
  if (common.length >= 2) {
    const at = (of: MeasuredArm, seeds: number[], seed: number) => of.evaluations[seeds.indexOf(seed)]?.accuracy ?? 0;
    const differences = common.map((seed) => at(first, ours, seed) - at(second, theirs, seed));
    return { ...tInterval(differences), how: 'by seed', count: common.length, paired: null };
  }
  if (ours.length > 1 || theirs.length > 1) {
    const shares = ({ evaluations }: MeasuredArm) => evaluations.map(({ accuracy }) => accuracy);
    const estimate = welch(shares(first), shares(second));
    return { ...estimate, how: 'apart', count: Math.min(ours.length, theirs.length), paired: null };
  }
  const [a, b] = [first.evaluations[0], second.evaluations[0]] as [Evaluation, Evaluation];
  const [one, other] = [first.arm.runs[0], second.arm.runs[0]] as [StoredCurves, StoredCurves];
  const paired = pairedOf({ run: one, evaluation: a }, { run: other, evaluation: b });
  if (paired) {
    const { mean, low, high } = paired;
    return { mean, low, high, how: 'by problem', count: a.problems, paired };
  }
  const share = ({ accuracy, low, high }: Evaluation) => ({ share: accuracy, low, high });
  return { ...shareDifference(share(a), share(b)), how: 'apart', count: a.problems, paired: null };
}

interface Measured {
  run: StoredCurves;
  evaluation: Evaluation;
}

/**
 * The difference between two evaluations, computed problem by problem; null unless both evaluations certainly used the
 * same problems.
 */
function pairedOf(first: Measured, second: Measured): PairedShares | null {
  const place = placeOf(first);
  if (place === null || place !== placeOf(second)) return null;
  const bits = ({ evaluation: { right = '', problems } }: Measured) => bitsOf(right, problems);
  const [a, b] = [bits(first), bits(second)];
  return a && b && a.length === b.length && a.length > 0 ? pairedShares(a, b) : null;
}

/**
 * The world and level of an evaluation. Evaluations before the iteration at which a run was forked belong to the parent
 * of the run.
 */
function placeOf({ run: { run, before }, evaluation }: Measured): string | null {
  const mayBePast = evaluation.iteration <= (run.forkedFrom?.iteration ?? -1);
  if (mayBePast && before?.evaluations.includes(evaluation)) return placeOf({ run: before, evaluation });
  return placeAt(run, evaluation.iteration);
}

/**
 * The accuracy of the second run minus the accuracy of the first run, at all iterations after the fork at which both
 * runs were measured on the same problems.
 */
export function pairedCurve(first: StoredCurves, second: StoredCurves): { iteration: number; paired: PairedShares }[] {
  const parted = second.run.forkedFrom?.iteration ?? 0;
  return second.evaluations.flatMap((theirs) => {
    if (theirs.iteration < parted) return [];
    const ours = first.evaluations.find(({ iteration }) => iteration === theirs.iteration);
    const paired = ours && pairedOf({ run: second, evaluation: theirs }, { run: first, evaluation: ours });
    return paired ? [{ iteration: theirs.iteration, paired }] : [];
  });
}

/** Whether both arms gave the same answers to all problems. */
export const isSame = ({ problemsUnpaired }: PairedShares): boolean => problemsUnpaired === Infinity;

/**
 * Whether the arms gave different answers to some problems, but the difference of accuracy is not significant (its
 * interval contains 0).
 */
export const isUnshown = (paired: PairedShares): boolean => !isSame(paired) && paired.low <= 0 && paired.high >= 0;

/**
 * Whether the comparison problem by problem made the interval narrower by more than a twentieth of the interval for
 * independent samples.
 */
export const narrows = (paired: PairedShares): boolean =>
  !isSame(paired) && paired.high - paired.low < 0.95 * (paired.unpaired.high - paired.unpaired.low);
