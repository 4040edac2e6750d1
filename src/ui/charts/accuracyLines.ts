// The lines of the chart of right answers: the team, and beside it either the same team when nobody hears a message, or
// the share right for each rule. No two lines look alike.
import type { Evaluation } from '../../records/metrics.ts';
import { ruleNames, type RuleName } from '../../records/problem.ts';
import { hiddenLabel } from '../../state/messageWords.ts';
import { ruleWords } from '../words.ts';
import type { ChartLine } from './chartLine.ts';

const ruleLooks: Record<RuleName, Pick<ChartLine, 'colour' | 'dash'>> = {
  precedence: { colour: 'first' },
  leftToRight: { colour: 'second', dash: [6, 3] },
  rightToLeft: { colour: 'third', dash: [2, 2.5] },
};

/** `answerer`: who answers, `team` or `one agent`. A line of which nothing was measured is left out. */
export function accuracyLines(evaluations: readonly Evaluation[], answerer: string, isByRule: boolean): ChartLine[] {
  const team: ChartLine = {
    label: answerer,
    colour: 'ink',
    values: evaluations.map(({ accuracy }) => accuracy),
    low: evaluations.map(({ low }) => low),
    high: evaluations.map(({ high }) => high),
    hasPoints: evaluations.length < 40,
  };
  const beside: ChartLine[] = isByRule
    ? ruleNames.map((rule) => ({
        label: ruleWords[rule],
        ...ruleLooks[rule],
        width: 1.5,
        values: evaluations.map(({ byRule }) => byRule[rule] ?? null),
      }))
    : [
        {
          label: `${hiddenLabel} (measured)`,
          colour: 'mute',
          width: 1.4,
          dash: [6, 3],
          values: evaluations.map(({ maskedMessage }) => maskedMessage ?? null),
        },
      ];
  return [team, ...beside.filter(({ values }) => values.some((value) => value !== null))];
}
