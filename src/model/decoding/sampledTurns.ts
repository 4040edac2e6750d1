// Bookkeeping of sampled windows on the host.
import { ShapeError } from '../../base/errors.ts';

/** Number of tokens up to and including the first that ends a turn; the whole window if none does. */
export function firstEnd(ids: Int32Array, endIds: readonly number[]): number {
  const end = ids.findIndex((id) => endIds.includes(id));
  return end < 0 ? ids.length : end + 1;
}

/** Throws ShapeError unless so many rows go on as rows that keep their own. */
export function expectSources(from: readonly number[], rows: number): void {
  expectRows('takeRows', from.length, rows);
  const bad = from.findIndex((source) => from[source] !== source);
  if (bad < 0) return;
  throw new ShapeError(
    `takeRows: row ${bad} must go on as a row that keeps its own, got row ${from[bad]}; name the row that both go on from.`,
  );
}

/** Throws ShapeError unless a call brings one entry for each row. */
export function expectRows(call: string, got: number, rows: number): void {
  if (got !== rows) throw new ShapeError(`${call}: expected ${rows} rows, got ${got}; open a session of that size.`);
}
