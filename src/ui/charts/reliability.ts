// Compares a verifier's scores with the share of right answers, as a chart and in words.
import { wilson } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { Reliability } from '../../records/verifier.ts';
import { decimal } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface ReliabilityPoint {
  /** The range of scores in the bin, in [0, 1]. */
  from: number;
  to: number;
  count: number;
  /** The number of answers in the bin, divided by the number of answers in the largest bin. */
  share: number;
  /**
   * The mean score of the answers in the bin, and the share of right answers with its 95 % interval; null if the bin is
   * empty.
   */
  at: { score: number; right: number; low: number; high: number } | null;
}

/** The bins as they are drawn in the chart. */
export function reliabilityPoints({ bins }: Reliability): ReliabilityPoint[] {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return bins.map(({ count, right, meanScore }, bin) => ({
    from: bin / bins.length,
    to: (bin + 1) / bins.length,
    count,
    share: count / most,
    at: count === 0 ? null : { score: meanScore, right: right / count, ...wilson(right, count) },
  }));
}

/** A share in words, as a number of times out of 100. */
const ofHundred = (share: number) => say('{decimal} times out of 100', { decimal: decimal(100 * share, 0) });

/**
 * Describes the AUC in words. If all answers were right, or all were wrong, the sentence says that there is nothing to
 * compare.
 */
export function aucWords({ values }: IterationMetrics): string {
  const [auc, within] = [values['charts/verifier_auc'], values['charts/verifier_auc_within']];
  if (auc === undefined) return say('All answers were right, or all were wrong, so there is nothing to compare.');
  const first = say('A right answer scores above a wrong one {auc}', { auc: ofHundred(auc) });
  return within === undefined
    ? `${first}.`
    : say('{first}. For two answers to the same question, this happens {decimal} times out of 100.', {
        first,
        decimal: decimal(100 * within, 0),
      });
}

/**
 * Describes in words the calibration error of the scores, and the number of questions whose answers were all right or
 * all wrong.
 */
export function reliabilityWords({ values, reliability }: IterationMetrics): string {
  const error = values['charts/verifier_calibration_error'];
  const off =
    error === undefined
      ? ''
      : say('On average, scores differ by {error} from the share of right answers.', { error: decimal(error) });
  const { oneSided = 0, questions = 0 } = reliability ?? {};
  const sided =
    oneSided === 0
      ? ''
      : say('{oneSided} of {questions} questions had only right or only wrong answers.', { oneSided, questions });
  return [off, sided].filter(Boolean).join(' ');
}

/** A description of the whole chart for screen readers. */
export function spokenReliability(points: readonly ReliabilityPoint[]): string {
  const bins = points.flatMap(({ from, to, count, at }) =>
    at === null
      ? []
      : [
          say('scores {from} to {to}: {count} answers, {right} right', {
            from: decimal(from, 1),
            to: decimal(to, 1),
            count,
            right: decimal(at.right),
          }),
        ],
  );
  return say('Share of right answers by score. {value}', {
    value: bins.length === 0 ? say('No answers.') : `${bins.join('; ')}.`,
  });
}

/**
 * The metrics whose verifier data are shown: the metrics of the marked iteration if they contain such data, otherwise
 * the newest metrics that contain such data.
 */
export function reliabilityAt(metrics: readonly IterationMetrics[], marker: number | null): IterationMetrics | null {
  const judged = metrics.filter(({ reliability }) => reliability !== undefined);
  return judged.find(({ iteration }) => iteration === marker) ?? judged.at(-1) ?? null;
}
