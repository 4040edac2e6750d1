// Writes all tables: Markdown for README.md and docs, aligned so that it is readable in a terminal too.
import type { Interval } from '../../src/base/stats.ts';

/** A column header, and a function that returns the cell of a row; an empty cell is shown as a dash. */
export type Column<Row> = [head: string, cell: (row: Row) => string | number | false | null | undefined];

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const text = (cell: ReturnType<Column<Row>[1]>) =>
    String(cell === false ? '–' : (cell ?? '–'))
      .replaceAll('|', '\\|')
      .replaceAll('\n', ' ');
  const cells = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => text(cell(row))))];
  const widths = columns.map((_, at) => Math.max(3, ...cells.map((line) => (line[at] as string).length)));
  const [head, ...body] = cells.map((line) => line.map((cell, at) => cell.padEnd(widths[at] as number)));
  const lines = [head as string[], widths.map((width) => '-'.repeat(width)), ...body];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Returns facts as a line, for example `Machine: AMD EPYC · Backend: simd`. */
export function factLine(facts: Record<string, string | number>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${inWords(name)}: ${value}`)
    .join(' · ');
}

/** Converts a name to words: 'sampledTokens' → 'Sampled tokens'. */
function inWords(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, left: string, right: string) => `${left} ${right.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a mean over seeds with its 95 % t-interval as text. A single seed has no interval. */
export function spread({ mean, low, high }: { mean: number } & Interval): string {
  return Number.isFinite(low) ? `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})` : mean.toFixed(3);
}

/** Returns milliseconds with about three significant figures. */
export function milliseconds(value: number | null | undefined): string | null {
  return value == null ? null : value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0);
}

export const code = (text: string) => `\`${text}\``;
