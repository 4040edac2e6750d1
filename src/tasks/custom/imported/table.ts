// Packs and unpacks tables of imported data. A world of imported data is stored as a packed table. Limits are checked
// when a table is unpacked.
import { gzipSync, strFromU8, strToU8 } from 'fflate';
import * as v from 'valibot';
import { FormatError } from '../../../base/errors.ts';
import { gunzipWithin } from '../../../base/inflate.ts';
import { spoken } from '../../../base/spoken.ts';
import { utf8Of } from '../../../base/utf8.ts';
import { fewestRows, tableSchema, type ImportedTable } from '../../../config/worlds/imported.ts';
import { tokenizerOf } from '../../../text/tokenizer.ts';

/** The lengths of the texts of a row, in tokens. */
export type Room = Omit<ImportedTable['levels'][number], 'grade'>;

/**
 * The length in tokens of the prompt of an agent that sees these hidden texts, including the begin token, the end token
 * and the line ends.
 */
export const promptRoom = ({ shown, hidden }: Pick<Room, 'shown' | 'hidden'>, sees: readonly string[]): number =>
  shown + sees.reduce((sum, name) => sum + 1 + (hidden[name] ?? 0), 0) + 2;

/** Packs a table: the text is gzipped JSON in base 64. */
export const packTable = (table: ImportedTable): string =>
  btoa(strFromU8(gzipSync(strToU8(JSON.stringify(table)), { mtime: 0 }), true));

/** The maximum number of bytes of a table as JSON. */
const mostTextBytes = 200_000_000;

/** Unpacks a table. Throws FormatError if the text does not contain a valid table. */
export function unpackTable(packed: string): ImportedTable {
  let json: unknown;
  try {
    const text = gunzipWithin(strToU8(atob(packed), true), mostTextBytes);
    json = text && JSON.parse(utf8Of(text) ?? '');
  } catch {
    throw new FormatError(spoken`imported data: this is not a packed table; import the file again.`);
  }
  const parsed = v.safeParse(tableSchema, json);
  if (parsed.success) return usable(parsed.output);
  const [issue] = parsed.issues;
  throw new FormatError(
    spoken`imported data: ${v.getDotPath(issue) ?? spoken`the table`}: expected ${`${issue.expected}`}, got ${issue.received}; import the file again.`,
  );
}

/**
 * Checks that each level of a table has rows and that its texts can be tokenised, and returns the table. Throws
 * FormatError if a level has no rows or a text cannot be tokenised.
 */
function usable(table: ImportedTable): ImportedTable {
  const rowsOf = (level: string) => table.examples.filter(({ grade }) => grade === level).length;
  const poor = table.levels.find(({ grade }) => rowsOf(grade) < fewestRows);
  if (poor || table.levels.length === 0)
    throw new FormatError(
      spoken`imported data: expected at least ${fewestRows} rows on each level; import the file again.`,
    );
  try {
    tokenizerOf(table.tokenizer);
  } catch (error) {
    const { message } = error as Error;
    throw new FormatError(spoken`imported data: the vocabulary cannot be used (${message}); import the file again.`);
  }
  return table;
}
