// The measures of claims: each is one number of a run that was trained for a given number of tokens.
import { mean } from '../../base/stats.ts';
import type { Evaluation, IterationMetrics } from '../metrics.ts';

/** The inputs of measures. */
export interface RunOutcome {
  before: { accuracy: number };
  after: { accuracy: number };
  /** One value per iteration. */
  turns: readonly number[];
  tokensPerTurn: readonly number[];
  /** All metrics, as means over the last five iterations. */
  latest: Readonly<Record<string, number>>;
}

interface Measure {
  words: string;
  of: (run: RunOutcome) => number;
  /** An effect smaller than this is negligible, however certain it is. */
  least: number;
}

const emptyTurns = 'charts/empty_turns/';
const newest = (curve: readonly number[]) => mean(curve.slice(-5));
const latest = (name: string) => (run: RunOutcome) => run.latest[name] ?? Number.NaN;

export const measures = {
  accuracy: { words: 'accuracy', of: ({ after }) => after.accuracy, least: 0.02 },
  turns: { words: 'turns of a dialogue', of: ({ turns }) => newest(turns), least: 0.05 },
  /**
   * Teams with different starts are compared by their improvement. The first iteration is sampled from the warm start,
   * so the gain is measured from the first iteration.
   */
  lengthGained: {
    words: 'tokens of a turn, gained since the warm start',
    of: ({ tokensPerTurn }) => newest(tokensPerTurn) - (tokensPerTurn[0] ?? Number.NaN),
    least: 0.05,
  },
  /** The maximum over roles is used, so that a talking planner does not hide the silence of a reasoner. */
  silence: {
    words: 'share of empty turns, of the most silent role',
    of: ({ latest: metrics }) => {
      const empty = Object.entries(metrics).flatMap(([name, share]) => (name.startsWith(emptyTurns) ? [share] : []));
      return empty.length === 0 ? Number.NaN : Math.max(...empty);
    },
    least: 0.02,
  },
  /** A team has collapsed only if its accuracy falls below that of its start. A small gain does not count as a loss. */
  loss: {
    words: 'accuracy below the warm start',
    of: ({ before, after }) => Math.max(0, before.accuracy - after.accuracy),
    least: 0.02,
  },
  withinQuestion: {
    words: 'AUC of the verifier within a question',
    of: latest('charts/verifier_auc_within'),
    least: 0.02,
  },
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as [MeasureName, ...MeasureName[]];

/**
 * The outcome of a run, computed from all its evaluations and metrics in order. The outcome of a run that failed early
 * contains everything that was measured before the failure.
 */
export function outcomeOf(
  evaluations: readonly Pick<Evaluation, 'accuracy'>[],
  metrics: readonly Pick<IterationMetrics, 'values'>[],
): RunOutcome {
  const [first = { accuracy: Number.NaN }, last = first] = [evaluations[0], evaluations.at(-1)];
  const curve = (name: string) => metrics.map(({ values }) => rounded(values[name] ?? Number.NaN));
  const late = metrics.slice(-5);
  const names = new Set(late.flatMap(({ values }) => Object.keys(values)));
  const meanOf = (name: string) => rounded(mean(late.flatMap(({ values }) => values[name] ?? [])));
  return {
    before: { accuracy: first.accuracy },
    after: { accuracy: last.accuracy },
    turns: curve('charts/turns'),
    tokensPerTurn: curve('charts/tokens_per_turn'),
    latest: Object.fromEntries([...names].map((name) => [name, meanOf(name)])),
  };
}

/** A number rounded to four digits after the point, as measurements are stored. */
export const rounded = (x: number) => Math.round(1e4 * x) / 1e4;
