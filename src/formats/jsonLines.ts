// Reads JSON Lines that visitors or other programs wrote: one JSON value per line. The sizes are checked first, because
// a file of another kind may be very large.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { readLooseJson } from './looseJson.ts';

export interface LineLimits {
  /** Maximum number of characters of a file. */
  mostSigns: number;
  /** Maximum number of characters of a line. */
  mostLineSigns: number;
}

/**
 * Calls `read` with the value and the number (from 1) of each line, and returns the results. Empty lines and a byte
 * order mark are skipped. Throws FormatError with the number of the line if a line is too long or is not JSON.
 */
export function readJsonLines<T>(
  text: string,
  { mostSigns, mostLineSigns }: LineLimits,
  read: (json: unknown, number: number) => T,
): T[] {
  if (text.length > mostSigns)
    throw new FormatError(
      spoken`the file: expected at most ${mostSigns} characters, got ${text.length}; import a part of the file.`,
    );
  const valueOf = (line: string, number: number): unknown => {
    if (line.length > mostLineSigns)
      throw new FormatError(
        spoken`line ${number}: expected at most ${mostLineSigns} characters, got ${line.length}; a longer line does not fit into any context, so shorten it or leave it out.`,
      );
    try {
      return readLooseJson(line);
    } catch (cause) {
      throw new FormatError(
        spoken`line ${number}: expected JSON, got something else (${shortened((cause as Error).message)}).`,
      );
    }
  };
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, i) => (line.trim() === '' ? [] : [read(valueOf(line, i + 1), i + 1)]));
}

/** The place of the first issue in a line, and the value there in words. */
export const placeIn = ([issue]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]) => ({
  field: v.getDotPath(issue) ?? spoken`the whole line`,
  received: issue.received === 'undefined' ? spoken`nothing` : shortened(issue.received),
});
