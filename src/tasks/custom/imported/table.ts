// A table of imported data in its packed form, in which its world is stored. When the table is unpacked, its limits are
// checked.
import { gzipSync, strFromU8, strToU8 } from 'fflate';
import * as v from 'valibot';
import { FormatError } from '../../../base/errors.ts';
import { gunzipWithin } from '../../../base/inflate.ts';
import { spoken } from '../../../base/spoken.ts';
import { utf8Of } from '../../../base/utf8.ts';
import { fewestRows, tableSchema, type ImportedTable } from '../../../config/worlds/imported.ts';
import { tokenizerOf } from '../../../text/tokenizer.ts';

/** The lengths of the texts that a row needs, in tokens. */
export type Room = Omit<ImportedTable['levels'][number], 'grade'>;

/** The prompt length of an agent that sees these hidden texts, including the first and last token and the line ends. */
export const promptRoom = ({ shown, hidden }: Pick<Room, 'shown' | 'hidden'>, sees: readonly string[]): number =>
  shown + sees.reduce((sum, name) => sum + 1 + (hidden[name] ?? 0), 0) + 2;

/** A table as a text: gzipped JSON in base 64. */
export const packTable = (table: ImportedTable): string =>
  btoa(strFromU8(gzipSync(strToU8(JSON.stringify(table)), { mtime: 0 }), true));

/** Maximum number of bytes of a table as JSON. The number of rows is limited when the table is made. */
const mostTextBytes = 200_000_000;

/** Throws FormatError if the text does not contain a table. */
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
 * Returns the same table, after checking that each level has rows and that its texts can be tokenised. Throws
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
