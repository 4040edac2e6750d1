// A table of imported data as a world of it is stored: packed, and unpacked with its bounds checked.
import { gzipSync, strFromU8, strToU8 } from 'fflate';
import * as v from 'valibot';
import { FormatError } from '../../../base/errors.ts';
import { gunzipWithin } from '../../../base/inflate.ts';
import { spoken } from '../../../base/spoken.ts';
import { utf8Of } from '../../../base/utf8.ts';
import { fewestRows, tableSchema, type ImportedTable } from '../../../config/worlds/imported.ts';
import { tokenizerOf } from '../../../text/tokenizer.ts';

/** The room that a row needs, in tokens. */
export type Room = Omit<ImportedTable['levels'][number], 'grade'>;

/** The prompt of somebody who sees these hidden texts, its first and last token and the ends of lines included. */
export const promptRoom = ({ shown, hidden }: Pick<Room, 'shown' | 'hidden'>, sees: readonly string[]): number =>
  shown + sees.reduce((sum, name) => sum + 1 + (hidden[name] ?? 0), 0) + 2;

/** A table as a text: gzipped JSON in base 64. */
export const packTable = (table: ImportedTable): string =>
  btoa(strFromU8(gzipSync(strToU8(JSON.stringify(table)), { mtime: 0 }), true));

/** Bytes of a table as JSON, at most: its rows are bounded where it is made. */
const mostTextBytes = 200_000_000;

/** Throws FormatError for a text that holds none. */
export function unpackTable(packed: string): ImportedTable {
  let json: unknown;
  try {
    const text = gunzipWithin(strToU8(atob(packed), true), mostTextBytes);
    json = text && JSON.parse(utf8Of(text) ?? '');
  } catch {
    throw new FormatError(spoken`imported data: expected a packed table, got something else; import its file again.`);
  }
  const parsed = v.safeParse(tableSchema, json);
  if (parsed.success) return usable(parsed.output);
  const [issue] = parsed.issues;
  throw new FormatError(
    spoken`imported data: ${v.getDotPath(issue) ?? spoken`the table`}: expected ${`${issue.expected}`}, got ${issue.received}; import its file again.`,
  );
}

/** The same table, each level of which has rows and whose texts can be tokenised. Throws FormatError for another. */
function usable(table: ImportedTable): ImportedTable {
  const rowsOf = (level: string) => table.examples.filter(({ grade }) => grade === level).length;
  const poor = table.levels.find(({ grade }) => rowsOf(grade) < fewestRows);
  if (poor || table.levels.length === 0)
    throw new FormatError(
      spoken`imported data: expected ${fewestRows} rows or more on each level; import its file again.`,
    );
  try {
    tokenizerOf(table.tokenizer);
  } catch (error) {
    const { message } = error as Error;
    throw new FormatError(spoken`imported data: its vocabulary cannot be used (${message}); import its file again.`);
  }
  return table;
}
