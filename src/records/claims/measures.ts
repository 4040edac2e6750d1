// The measures of claims. Each measure is a number that is computed from a run after it was trained for a certain
// number of tokens.
import { mean } from '../../base/stats.ts';
import type { Evaluation, IterationMetrics } from '../metrics.ts';

/** The inputs of measures. */
export interface RunOutcome {
  before: { accuracy: number };
  after: { accuracy: number };
  /** One value per iteration. */
  turns: readonly number[];
  tokensPerTurn: readonly number[];
  /** The mean of each metric over the last five iterations. */
  latest: Readonly<Record<string, number>>;
}

interface Measure {
  words: string;
  of: (run: RunOutcome) => number;
  /** The smallest difference that matters. Smaller differences are ignored even if they are statistically certain. */
  least: number;
  /** The smallest and the largest value that can be written as a code. */
  bounds: readonly [number, number];
}

const share = [0, 1] as const;

const emptyTurns = 'charts/empty_turns/';
const newest = (curve: readonly number[]) => mean(curve.slice(-5));
const latest = (name: string) => (run: RunOutcome) => run.latest[name] ?? Number.NaN;

export const measures = {
  accuracy: { words: 'accuracy', of: ({ after }) => after.accuracy, least: 0.02, bounds: share },
  turns: { words: 'turns of a dialogue', of: ({ turns }) => newest(turns), least: 0.05, bounds: [0, 16] },
  /**
   * The increase in length is measured, because teams may start from different lengths. The increase is counted from
   * the first iteration, whose dialogues are sampled with the weights of the warm start.
   */
  lengthGained: {
    words: 'tokens of a turn, gained since the warm start',
    of: ({ tokensPerTurn }) => newest(tokensPerTurn) - (tokensPerTurn[0] ?? Number.NaN),
    least: 0.05,
    bounds: [-32, 32],
  },
  /** The maximum over roles is used, because a mean over roles could be low even if one role never says anything. */
  silence: {
    words: 'share of empty turns, of the most silent role',
    of: ({ latest: metrics }) => {
      const empty = Object.entries(metrics).flatMap(([name, share]) => (name.startsWith(emptyTurns) ? [share] : []));
      return empty.length === 0 ? Number.NaN : Math.max(...empty);
    },
    least: 0.02,
    bounds: share,
  },
  gain: {
    words: 'accuracy gained since the warm start',
    of: ({ before, after }) => after.accuracy - before.accuracy,
    least: 0.02,
    bounds: [-1, 1],
  },
  withinQuestion: {
    words: 'AUC of the verifier within a question',
    of: latest('charts/verifier_auc_within'),
    least: 0.02,
    bounds: share,
  },
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as [MeasureName, ...MeasureName[]];

/**
 * Summarises a run from all its evaluations and metrics, which must be in order. If the run failed, everything that was
 * measured before the failure counts.
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

/** Rounds a number to four decimal places, like all stored measurements. */
export const rounded = (x: number) => Math.round(1e4 * x) / 1e4;
