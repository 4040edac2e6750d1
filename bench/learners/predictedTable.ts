// The table of `bench/learners/foreseeable.ts`: the share that critics predicted, next to the predictable share.
import { existsSync, readFileSync } from 'node:fs';
import { mean } from '../../src/base/stats.ts';
import { learnerLabels, type LearnerName } from '../../src/config/learners/registry.ts';
import { table } from '../shared/table.ts';

/** One measurement of a run. Shares of the variance of returns, by role; '' for all turns. */
export interface PredictedRow {
  preset: string;
  seed: number;
  /** The iteration from which on the agents were frozen; null if they continued to learn. */
  still: number | null;
  after: number;
  /** Mean of the previous ten iterations, each before its critic has learned from it. */
  did: Record<string, number>;
  /** The predictable share at this measurement. */
  could: Record<string, number>;
}

/** The file of finished measurements, line by line. */
export const predictedFile = 'bench/results/foreseeable.jsonl';

/** All measurements; a newer one replaces an older one of the same run. */
export function predictedRows(): PredictedRow[] {
  const lines = existsSync(predictedFile) ? readFileSync(predictedFile, 'utf8').split('\n').filter(Boolean) : [];
  const rows = lines.map((line) => JSON.parse(line) as PredictedRow);
  return [...new Map(rows.map((row) => [`${kindOf(row)} ${row.seed} ${row.after}`, row])).values()];
}

/** Measurements up to iteration 20 are left out, because the critics have hardly learned until then. */
const begun = 20;

export function predictedTable(rows: readonly PredictedRow[]): string {
  const late = rows.filter(({ after, still }) => after > (still ?? begun));
  const kinds = [...new Set(late.map(kindOf))].map((kind) => late.filter((row) => kindOf(row) === kind));
  const roles = [...new Set(late.flatMap(({ did }) => Object.keys(did)))];
  const seedsOf = (own: readonly PredictedRow[]) => [...new Set(own.map(({ seed }) => seed))].sort((a, b) => a - b);
  /** Mean over the measurements of each seed, seed by seed. */
  const bySeed = (own: readonly PredictedRow[], read: (row: PredictedRow) => number | undefined) =>
    seedsOf(own)
      .map((seed) => mean(own.filter((row) => row.seed === seed).flatMap((row) => read(row) ?? [])).toFixed(2))
      .join(', ');
  return table(
    [
      ['Critic of', ([row]) => learnerLabels[row?.preset as LearnerName]],
      ['Agents', ([row]) => (row?.still == null ? 'learn' : `do not learn after iteration ${row.still}`)],
      [
        'Iterations',
        (own) => `${Math.min(...own.map(({ after }) => after)) - 9} to ${Math.max(...own.map(({ after }) => after))}`,
      ],
      ['Seeds', (own) => seedsOf(own).join(', ')],
      ...roles.flatMap((role): [string, (own: PredictedRow[]) => string][] => [
        [`${words[role] ?? role}: predicted`, (own) => bySeed(own, ({ did }) => did[role])],
        [`predictable`, (own) => bySeed(own, ({ could }) => could[role])],
      ]),
    ],
    kinds,
  );
}

const words: Readonly<Record<string, string>> = { '': 'All', metaThinking: 'Planner', reasoning: 'Reasoner' };

const kindOf = ({ preset, still }: PredictedRow) => `${preset} ${still}`;
