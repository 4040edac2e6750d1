// The tables of `npm run bench:recall`: one row for each kind of text, with and without recall next to each other, and
// one row for each share of the outcome.
import { mean } from '../../src/base/stats.ts';
import { worlds } from '../../src/tasks/registry.ts';
import type { Split } from '../../src/tasks/world.ts';
import { factLine, table, type Column } from '../shared/table.ts';
import type { Share } from '../shared/trainUntil.ts';

interface Text {
  /** Whether the evidence for the answer is in one piece or the next, or far apart. */
  evidence: 'adjacent' | 'distant';
  /** Number of pieces of the text. */
  pieces: number;
  level: number;
  split: Split;
}

export const texts: readonly Text[] = [
  { evidence: 'adjacent', pieces: 7, level: 2, split: 'heldOut' },
  { evidence: 'adjacent', pieces: 28, level: 2, split: 'harder' },
  { evidence: 'distant', pieces: 7, level: 3, split: 'heldOut' },
  { evidence: 'distant', pieces: 28, level: 4, split: 'heldOut' },
  { evidence: 'distant', pieces: 112, level: 4, split: 'harder' },
];

/** The measured weights of the outcome advantage, and the weight with which recall is measured (that of ReMemR1). */
export const outcomeShares = [1, 0.8, 0.5, 0.2] as const;
export const usualShare = 0.8;

/** The required lead of recall if the evidence is distant. */
export const leastWin = 0.1;

export interface ReadingResult {
  /** Accuracy on the training texts, before the first iteration and after the last. */
  before: number;
  after: number;
  sampledTokens: number;
  /** The accuracy on each kind of text, in a row for all kinds. */
  right: Share[];
  /** Processor time in seconds. */
  seconds: number;
}

export interface SeedPair {
  seed: number;
  on: ReadingResult;
  off: ReadingResult;
}

/** The accuracy with and without recall on one kind of text, seed by seed. */
export interface RecallRow {
  evidence: string;
  pieces: number;
  recall: number[];
  noRecall: number[];
  /** The highest possible share of right answers without recall, for a reader whose notes are whole facts. */
  most: number;
}

/** The runs with one weight of the outcome advantage, seed by seed. */
export interface ShareRow {
  outcomeShare: number;
  seeds: number[];
  before: number[];
  after: number[];
  /** Tokens sampled, mean over seeds. */
  tokens: number;
}

export interface RecallResults {
  machine: string;
  backend: string;
  /** The number of problems for each text and seed. */
  problems: number;
  rows: RecallRow[];
  shares: ShareRow[];
}

const without = worlds.memory.under?.({ recall: false });

export const recallRows = (pairs: readonly SeedPair[]): RecallRow[] =>
  texts.map(({ evidence, pieces, level, split }, t) => {
    const shares = (of: 'on' | 'off') => pairs.map((pair) => pair[of].right[t]?.accuracy ?? Number.NaN);
    return {
      evidence,
      pieces,
      recall: shares('on'),
      noRecall: shares('off'),
      most: without?.most?.(level, split) ?? 1,
    };
  });

export const shareRow = (outcomeShare: number, runs: readonly { seed: number; result: ReadingResult }[]): ShareRow => ({
  outcomeShare,
  seeds: runs.map(({ seed }) => seed),
  before: runs.map(({ result }) => result.before),
  after: runs.map(({ result }) => result.after),
  tokens: mean(runs.map(({ result }) => result.sampledTokens)),
});

/** Returns the gain of recall in accuracy, as a mean over seeds. */
export const winOf = ({ recall, noRecall }: RecallRow): number => mean(recall) - mean(noRecall);

const each = (shares: readonly number[]) => shares.map((share) => share.toFixed(2)).join(' ');

const columns: Column<RecallRow>[] = [
  ['Evidence', ({ evidence }) => evidence],
  ['Pieces', ({ pieces }) => pieces],
  ['With recall', ({ recall }) => each(recall)],
  ['Without', ({ noRecall }) => each(noRecall)],
  ['Difference', (row) => winOf(row).toFixed(2)],
  ['At most without', ({ most }) => most.toFixed(2)],
];

const shareColumns: Column<ShareRow>[] = [
  ['α', ({ outcomeShare }) => outcomeShare],
  ['Seeds', ({ seeds }) => seeds.join(' ')],
  ['Before', ({ before }) => each(before)],
  ['After', ({ after }) => each(after)],
  ['Mean', ({ after }) => mean(after).toFixed(2)],
  ['Sampled tokens', ({ tokens }) => `${Math.round(tokens / 1000)}k`],
];

export function recallTable({ machine, backend, problems, rows, shares }: RecallResults): string {
  if (rows.length === 0) return '';
  const compared = shares.length === 0 ? [] : [table(shareColumns, shares)];
  return [factLine({ machine, backend, problems }), table(columns, rows), ...compared].join('\n\n');
}
