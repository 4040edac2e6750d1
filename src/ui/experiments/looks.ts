// The line styles of an experiment's arms. Each arm has a different combination of colour and dashes.
import type { Curve } from '../../state/experiments/curves.ts';
import type { ChartLine } from '../charts/chartLine.ts';

type Look = Pick<ChartLine, 'colour' | 'dash'>;

const looks: readonly Look[] = [
  { colour: 'first' },
  { colour: 'second', dash: [7, 3] },
  { colour: 'third', dash: [2, 2.5] },
  { colour: 'ink' },
  { colour: 'first', dash: [10, 3, 2, 3] },
  { colour: 'second' },
  { colour: 'third', dash: [12, 4] },
  { colour: 'ink', dash: [4, 4] },
];

export const lookOf = (arm: number): Look => looks[arm % looks.length] as Look;

/**
 * The line for a curve. The curve of an arm has a name in the legend. The curves of the arm's single seeds are thin and
 * are not in the legend. The names of these curves are only in the data.
 */
export function lineOf({ arm, seed, ...curve }: Curve, label: string, isOneOfSeveral: boolean): ChartLine {
  const isNamed = seed === null || !isOneOfSeveral;
  return {
    label: isNamed ? label : '',
    column: label,
    ...lookOf(arm),
    width: isNamed ? 2.2 : 0.8,
    hasPoints: isNamed && curve.values.filter((value) => value !== null).length < 30,
    ...curve,
  };
}
