// The table of `npm run bench:fidelity`.
import { mean } from '../../src/base/stats.ts';
import { tInterval } from '../../src/base/intervals.ts';
import { factLine, table } from '../shared/table.ts';

export interface FidelityResults {
  machine: string;
  backend: string;
  iterations: number;
  draws: number;
  seeds: readonly number[];
  rows: {
    label: string;
    /** Mean ρ over a run, by seed. */
    means: number[];
    accuracy: number;
  }[];
}

export function fidelityTable({ rows, ...facts }: FidelityResults): string {
  if (rows.length === 0) return '';
  const { machine, backend, iterations, draws, seeds } = facts;
  const sorted = [...rows].sort((a, b) => mean(b.means) - mean(a.means));
  return [
    factLine({ backend, machine, iterations, continuations: draws, seeds: seeds.join(', ') }),
    table(
      [
        ['Learner', ({ label }) => label],
        ['Credit fidelity ρ', ({ means }) => mean(means).toFixed(2)],
        ['Seeds', ({ means }) => means.length],
        ['95 % over seeds', ({ means }) => intervalOf(means)],
        ['Right at the end', ({ accuracy }) => accuracy.toFixed(3)],
      ],
      sorted,
    ),
  ].join('\n\n');
}

function intervalOf(means: readonly number[]): string {
  const { low, high } = tInterval(means);
  return Number.isFinite(low) ? `${low.toFixed(2)} to ${high.toFixed(2)}` : 'one seed';
}
