// The lines of the accuracy chart. The first line shows the accuracy of the team. The other lines show either the
// accuracy of the same team without messages, or the accuracy on each slice of the problems. All lines look different.
// The columns of the chart's data have the same names as in the TensorBoard export.
import type { Interval } from '../../base/stats.ts';
import type { Slices } from '../../config/worlds/form.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { hiddenLabel } from '../../state/run/messageWords.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import type { ChartLine } from './chartLine.ts';

/**
 * The styles of the lines for slices. If there are more than six slices, the styles repeat, but neighbouring slices
 * always differ.
 */
export const sliceLooks: Pick<ChartLine, 'colour' | 'dash'>[] = [
  { colour: 'first' },
  { colour: 'second', dash: [6, 3] },
  { colour: 'third', dash: [2, 2.5] },
  { colour: 'first', dash: [8, 2, 2, 2] },
  { colour: 'second', dash: [1, 3] },
  { colour: 'third', dash: [10, 4] },
];

/** The measured slices with their labels, in the order of their world; slices without a label come last. */
export function slicesOf(
  evaluations: readonly Evaluation[],
  slices: Slices | undefined,
): [name: string, word: string][] {
  const measured = new Set(evaluations.flatMap(({ bySlice }) => Object.keys(bySlice)));
  const words = slices?.words ?? {};
  const known = Object.keys(words).filter((name) => measured.has(name));
  return [...new Set([...known, ...measured])].map((name) => [name, words[name] ?? name]);
}

/**
 * `answerer` is the label of the first line, `team` or `one agent`. If `slices` is not null, the slices are shown
 * instead of the team without messages. A line without measurements is left out.
 */
export function accuracyLines(
  evaluations: readonly Evaluation[],
  answerer: string,
  slices: readonly (readonly [name: string, word: string])[] | null,
): ChartLine[] {
  const team: ChartLine = {
    label: answerer,
    column: 'evaluation/accuracy',
    colour: 'ink',
    values: evaluations.map(({ accuracy }) => accuracy),
    low: evaluations.map(({ low }) => low),
    high: evaluations.map(({ high }) => high),
    hasPoints: evaluations.length < 40,
  };
  const beside: ChartLine[] = slices
    ? slices.map(([name, label], i) => ({
        label,
        column: `evaluation/accuracy/${name}`,
        ...(sliceLooks[i % sliceLooks.length] as (typeof sliceLooks)[number]),
        width: 1.5,
        values: evaluations.map(({ bySlice }) => bySlice[name] ?? null),
      }))
    : [
        {
          label: say('{hiddenLabel}, not trained for this', { hiddenLabel: hiddenLabel() }),
          column: 'evaluation/masked_message',
          colour: 'mute',
          width: 1.4,
          dash: [6, 3],
          values: evaluations.map(({ maskedMessage }) => maskedMessage ?? null),
        },
      ];
  return [team, ...beside.filter(({ values }) => values.some((value) => value !== null))];
}

/**
 * The range in which the accuracy measured on a set of `problems` problems lies in 95 of 100 cases, if the average
 * accuracy equals the ceiling. If a team's accuracy is above this range, the interval of its accuracy (Wilson 1927) is
 * above the ceiling, and vice versa.
 */
export function ceilingBand({ ceiling, problems }: Pick<Evaluation, 'ceiling' | 'problems'>): Interval {
  const half = 1.959963984540054 * Math.sqrt((ceiling * (1 - ceiling)) / Math.max(1, problems));
  return { low: Math.max(0, ceiling - half), high: Math.min(1, ceiling + half) };
}
