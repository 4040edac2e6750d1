// What an attack found, one row for each thing attacked.
import { factLine, table, type Column } from '../shared/table.ts';

export interface AttackRow {
  part: 'kills' | 'readers' | 'store';
  what: string;
  /** Inputs, kills or visits. */
  count: number;
  note: string;
  /** What went wrong, in words; empty where nothing did. */
  faults: string[];
}

export interface AttackResults {
  seed: number;
  machine: string;
  commit: string;
  rows: AttackRow[];
}

const columns: Column<AttackRow>[] = [
  ['Attacked', ({ what }) => what],
  ['Times', ({ count }) => count],
  ['Faults', ({ faults }) => faults.length],
  ['Seen', ({ note }) => note],
  ['First fault', ({ faults }) => faults[0] ?? ''],
];

export function attackTable({ seed, machine, commit, rows }: AttackResults): string {
  return [factLine({ seed, machine, commit }), table(columns, rows)].join('\n\n');
}

/** A row as a line of the terminal, its first faults below it. */
export function rowText({ what, count, note, faults }: AttackRow): string {
  const head = `${faults.length === 0 ? 'ok    ' : 'FAULTY'} ${what}: ${count}${note && `, ${note}`}`;
  const few = faults.slice(0, 5).map((fault) => `         ${fault}`);
  const rest = faults.length > 5 ? [`         and ${faults.length - 5} more`] : [];
  return [head, ...few, ...rest].join('\n');
}
