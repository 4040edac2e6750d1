// What `npm run bench:recall` found: one row for each kind of text, with and without recall beside each other.
import { mean } from '../../src/base/stats.ts';
import type { Split } from '../../src/tasks/world.ts';
import { factLine, table, type Column } from '../shared/table.ts';
import type { Share } from '../shared/trainUntil.ts';

interface Text {
  /** Whether what the answer hangs on stands in one piece or the next, or far apart. */
  evidence: 'adjacent' | 'distant';
  /** Pieces of the text; training has four. */
  pieces: number;
  level: number;
  split: Split;
}

export const texts: readonly Text[] = [
  { evidence: 'adjacent', pieces: 4, level: 2, split: 'heldOut' },
  { evidence: 'adjacent', pieces: 16, level: 2, split: 'harder' },
  { evidence: 'distant', pieces: 4, level: 3, split: 'heldOut' },
  { evidence: 'distant', pieces: 16, level: 4, split: 'heldOut' },
  { evidence: 'distant', pieces: 64, level: 4, split: 'harder' },
];

/** By how much recall must win where the evidence is distant. */
export const leastWin = 0.1;

export interface ReadingResult {
  /** Of each kind of text. */
  right: Share[];
  /** Of the processor. */
  seconds: number;
}

export interface SeedPair {
  seed: number;
  on: ReadingResult;
  off: ReadingResult;
}

/** Shares right, seed by seed. */
export interface RecallRow {
  evidence: string;
  /** Pieces of the text; training has four. */
  pieces: number;
  recall: number[];
  noRecall: number[];
}

export interface RecallResults {
  machine: string;
  backend: string;
  /** Of each text and seed. */
  problems: number;
  rows: RecallRow[];
}

export const recallRows = (pairs: readonly SeedPair[]): RecallRow[] =>
  texts.map(({ evidence, pieces }, t) => {
    const shares = (of: 'on' | 'off') => pairs.map((pair) => pair[of].right[t]?.accuracy ?? Number.NaN);
    return { evidence, pieces, recall: shares('on'), noRecall: shares('off') };
  });

/** What recall adds to the share right, mean over seeds. */
export const winOf = ({ recall, noRecall }: RecallRow): number => mean(recall) - mean(noRecall);

const each = (shares: readonly number[]) => shares.map((share) => share.toFixed(2)).join(' ');

const columns: Column<RecallRow>[] = [
  ['Evidence', ({ evidence }) => evidence],
  ['Pieces', ({ pieces }) => pieces],
  ['With recall', ({ recall }) => each(recall)],
  ['Without', ({ noRecall }) => each(noRecall)],
  ['Difference', (row) => winOf(row).toFixed(2)],
];

export function recallTable({ machine, backend, problems, rows }: RecallResults): string {
  return rows.length === 0 ? '' : [factLine({ machine, backend, problems }), table(columns, rows)].join('\n\n');
}
