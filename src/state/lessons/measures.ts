// The measures used by the checks of lessons, read from the current state of the page. A measure is null while it is
// unknown.
import type { OwnMeasure } from '../../lessons/lessonForm.ts';
import type { Bounds } from '../../lessons/lesson.ts';
import { analysisMeasures } from '../../config/analyses/registry.ts';
import { talksInWords } from '../../config/warmStarts.ts';
import { formOf } from '../../config/worlds/registry.ts';
import type { TurnInspection } from '../../records/inspection.ts';
import type { Problem } from '../../records/problem.ts';
import type { Difference } from '../experiments/differences.ts';
import type { RunView } from '../trainer/runView.ts';

export interface MeasuredRun {
  view: Pick<RunView, 'evaluations' | 'metrics' | 'iteration' | 'run'>;
  /** The displayed problem. */
  problem: Pick<Problem, 'world' | 'shown' | 'slice'> | null;
  /** The values of the measures that analyses define, from the displayed answers. */
  ofAnalyses: (measure: string) => number | null;
  /** The open token and its turn; null if none is open. */
  token: { index: number; turn: TurnInspection } | null;
  /** The changes that the visitor made to the dialogue in the experiment. */
  changes: number;
  /** The finished same-luck forks of the displayed run: the changed arm minus the other arm, newest first. */
  forks: readonly Difference[];
}

/** The number of iterations over which a metric is averaged. */
const span = 5;

const newestOf = ({ view }: MeasuredRun) => view.evaluations.findLast(({ iteration }) => iteration > 0);

const measures: Record<OwnMeasure, (watched: MeasuredRun) => number | null> = {
  accuracy: (watched) => newestOf(watched)?.accuracy ?? null,
  gain(watched) {
    const [start] = watched.view.evaluations;
    const newest = newestOf(watched);
    return start && newest && start.iteration === 0 ? newest.accuracy - start.accuracy : null;
  },
  beyond(watched) {
    const newest = newestOf(watched);
    return newest ? newest.low - newest.ceiling : null;
  },
  influence(watched) {
    const { accuracy, maskedMessage } = newestOf(watched) ?? {};
    return accuracy === undefined || maskedMessage === undefined ? null : accuracy - maskedMessage;
  },
  beginsAtEnd({ problem }) {
    const begins = problem && formOf(problem.world).beginsAtEnd?.(problem);
    return typeof begins === 'boolean' ? Number(begins) : null;
  },
  iteration: ({ view }) => view.iteration,
  wentBack: ({ view }) => view.run?.goneBack?.length ?? 0,
  changes: ({ changes }) => changes,
  clipped: ({ token }) => (token ? Number(token.turn.won[token.index] !== 0) : null),
  tokenRatio: ({ token }) => token?.turn.tokenRatio[token.index] ?? null,
  forks: ({ forks }) => forks.length,
  forkGain: ({ forks }) => forks[0]?.mean ?? null,
  forkIsSure: ({ forks }) => (forks[0] ? Number(forks[0].low > 0 || forks[0].high < 0) : null),
  model: ({ view }) => Number(view.run !== null && talksInWords(view.run.config)),
};

/**
 * The current value of a measure or metric. For a metric, it is the mean over the newest iterations, or null if there
 * are not enough iterations yet.
 */
export function measured(name: string, watched: MeasuredRun): number | null {
  if (Object.hasOwn(measures, name)) return measures[name as OwnMeasure](watched);
  if (Object.hasOwn(analysisMeasures, name)) return watched.ofAnalyses(name);
  const { metrics } = watched.view;
  return metrics.newestRows.length < span ? null : (metrics.recent(name, span) ?? null);
}

export const isWithin = (value: number, { above = -Infinity, below = Infinity }: Bounds) =>
  value > above && value < below;
