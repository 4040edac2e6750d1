// The table of `npm run interop -- --store`: one line for each tool, which is kept until the tool is checked again.
import { table, type Column } from '../bench/shared/table.ts';

export interface InteropRow {
  tool: string;
  version: string;
  passed: number;
  failed: number;
  /** The commit of Cothink, with a plus if the sources differed from it, and the day. */
  commit: string;
  date: string;
}

export interface InteropResults {
  rows: InteropRow[];
}

const columns: Column<InteropRow>[] = [
  ['Tool', ({ tool }) => tool],
  ['Version', ({ version }) => version],
  ['Checks passed', ({ passed }) => passed],
  ['Failed', ({ failed }) => failed],
  ['Day', ({ date }) => date],
  ['Commit', ({ commit }) => commit],
];

export function interopTable({ rows }: InteropResults): string {
  const sum = (of: 'passed' | 'failed') => rows.reduce((total, row) => total + row[of], 0);
  return [table(columns, rows), `${sum('passed')} checks passed, ${sum('failed')} failed.`].join('\n\n');
}
