// The findings of an attack, one row per attacked item.
import { factLine, table, type Column } from '../shared/table.ts';

export interface AttackRow {
  part: 'kills' | 'readers' | 'files' | 'store' | 'served' | 'tabs' | 'devices';
  what: string;
  /** Number of inputs, kills or visits. */
  count: number;
  note: string;
  /** The faults in words; empty if there were none. */
  faults: string[];
}

/** A row with the conditions of its measurement. */
export interface FoundRow extends AttackRow {
  seed: number;
  commit: string;
}

export interface AttackResults {
  machine: string;
  rows: FoundRow[];
}

const isSame = (a: AttackRow, b: AttackRow) => a.part === b.part && a.what === b.what;

/** The earlier rows, with a newer row replacing the one for the same item. */
export const withRow = (rows: readonly FoundRow[], row: FoundRow): FoundRow[] =>
  rows.some((one) => isSame(one, row)) ? rows.map((one) => (isSame(one, row) ? row : one)) : [...rows, row];

const columns: Column<FoundRow>[] = [
  ['Attacked', ({ what }) => what],
  ['Times', ({ count }) => count],
  ['Faults', ({ faults }) => faults.length],
  ['Seen', ({ note }) => note],
  ['First fault', ({ faults }) => faults[0] ?? ''],
  ['Seed', ({ seed }) => seed],
  ['Commit', ({ commit }) => commit],
];

export function attackTable({ machine, rows }: AttackResults): string {
  return [factLine({ machine }), table(columns, rows)].join('\n\n');
}

/** A row as a line for the terminal, with its first faults below it. */
export function rowText({ what, count, note, faults }: AttackRow): string {
  const head = `${faults.length === 0 ? 'ok    ' : 'FAULTY'} ${what}: ${count}${note && `, ${note}`}`;
  const few = faults.slice(0, 5).map((fault) => `         ${fault}`);
  const rest = faults.length > 5 ? [`         and ${faults.length - 5} more`] : [];
  return [head, ...few, ...rest].join('\n');
}
