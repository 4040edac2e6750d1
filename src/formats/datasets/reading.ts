// Code that the readers of all shapes use. A reader converts a row to a problem, or returns the reason why this is not
// possible.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import { notUtf8 } from '../../base/utf8.ts';
import type { Example } from '../../config/worlds/imported.ts';

/** A problem, or the reason why the row cannot be converted to one. */
export type ReadRow = Example | string;

export interface ReadOptions {
  /**
   * The maximum number of characters of a long context that is shown to one agent. Readers that can shorten a context
   * do not exceed this number.
   */
  contextSigns: number;
}

export interface ShapeReader {
  /** Whether a row has the columns that this shape requires. */
  isOf: (row: Readonly<Record<string, unknown>>) => boolean;
  read: (row: unknown, options: ReadOptions) => ReadRow;
}

/** A text that is not empty. */
export const filled = v.pipe(
  v.string(),
  v.trim(),
  v.check(
    (text) => text !== '',
    () => spoken`expected a text, but it is empty`,
  ),
);

/** Makes a reader that checks the columns of a row before it calls `read`. */
export const reader =
  <S extends v.GenericSchema>(schema: S, read: (row: v.InferOutput<S>, options: ReadOptions) => ReadRow) =>
  (row: unknown, options: ReadOptions): ReadRow => {
    const parsed = v.safeParse(schema, row);
    if (parsed.success) return read(parsed.output, options);
    const [issue] = parsed.issues;
    const place = v.getDotPath(issue) ?? spoken`the row`;
    if (issue.input instanceof Uint8Array) return `${place}: ${notUtf8()}`;
    return issue.expected === null || issue.type === 'union'
      ? `${place}: ${issue.message}`
      : spoken`${place}: expected ${issue.expected}, got ${issue.received === 'undefined' ? spoken`nothing` : issue.received}`;
  };

/** Whether a row has all of these columns, with any values. */
export const has = (row: Readonly<Record<string, unknown>>, ...columns: string[]) =>
  columns.every((column) => column in row);

/**
 * Whether a row has no value in a column; null counts as no value, because a table contains null in rows without a
 * value.
 */
export const lacks = (row: object, column: string) =>
  ((row as Readonly<Record<string, unknown>>)[column] ?? null) === null;
