// Detects that the accuracy of a run no longer changes. A run that should stop once it has converged is then paused by
// the page, or ended by the command line.
import { mean } from '../base/stats.ts';
import { inOnePlace, type Measured } from './collapse.ts';
import type { Evaluation } from './metrics.ts';

/** The number of iterations without a change after which a run counts as converged or as not learning. */
const patience = 30;
/** The smallest difference of accuracy that counts as a change. */
const small = 0.02;

/** The change of accuracy over the last 30 iterations or more. */
export interface Recent {
  /** The number of iterations. */
  length: number;
  /** Whether the accuracy rose by at least 0.02. */
  isRising: boolean;
  /** Whether the accuracy did not rise, and the intervals of all evaluations in this time overlap. */
  isFlat: boolean;
}

/** The recent change; null if the evaluations cover fewer than 30 iterations. They must be in order, and in one place. */
export function recentChange(evaluations: readonly Evaluation[]): Recent | null {
  const last = evaluations.at(-1);
  const before = last && evaluations.findLast(({ iteration }) => iteration <= last.iteration - patience);
  if (!before) return null;
  const isRising = gain(evaluations, before) >= small;
  const length = last.iteration - before.iteration;
  return { length, isRising, isFlat: !isRising && overlap(evaluations, before.iteration) };
}

/**
 * The number of iterations for which a team that is clearly better than at the start, or nearly always right, has been
 * equally good; null if it has not converged.
 */
export function convergedFor(evaluations: readonly Evaluation[]): number | null {
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  const recent = recentChange(evaluations);
  if (!first || !last || !recent?.isFlat) return null;
  return last.low > first.high || last.accuracy >= 0.9 ? recent.length : null;
}

/** The same for a run that should stop once it has converged; null for other runs. */
export const stopsAfter = (measured: Measured): number | null =>
  measured.run?.config.run.untilConverged ? convergedFor(inOnePlace(measured)) : null;

/**
 * The mean accuracy of the newest two evaluations, minus the mean accuracy of `before` and the evaluation that precedes
 * `before`.
 */
function gain(evaluations: readonly Evaluation[], before: Evaluation): number {
  const newest = evaluations.slice(-2);
  const at = evaluations.indexOf(before);
  const older = evaluations.slice(Math.max(0, at - 1), at + 1);
  return average(newest) - average(older);
}

/** Whether the intervals of all evaluations since an iteration overlap. */
function overlap(evaluations: readonly Evaluation[], since: number): boolean {
  const recent = evaluations.filter((evaluation) => evaluation.iteration >= since);
  return Math.max(...recent.map(({ low }) => low)) <= Math.min(...recent.map(({ high }) => high));
}

const average = (evaluations: readonly Evaluation[]) => mean(evaluations.map(({ accuracy }) => accuracy));
