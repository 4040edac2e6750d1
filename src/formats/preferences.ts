// Preference pairs as JSON Lines, one pair per line, with the columns `prompt, chosen, rejected`, which is the format
// of DPO trainers. Two further columns, `chosen_spans` and `rejected_spans`, mark the tokens of a text that the agent
// itself sampled. Other programs ignore these columns. Unknown columns are ignored here too, so files of other programs
// can be imported.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { placeIn, readJsonLines } from './jsonLines.ts';
import type { PreferenceText } from '../records/stored/preference.ts';

const place = v.pipe(v.number(), v.integer(), v.minValue(0));
const spans = v.nullish(v.array(v.tuple([place, place])));

const schema = v.object({
  prompt: v.string(),
  chosen: v.pipe(v.string(), v.minLength(1)),
  rejected: v.pipe(v.string(), v.minLength(1)),
  chosen_spans: spans,
  rejected_spans: spans,
});

/** One line per pair, with a line break after the last, so that files can simply be concatenated. */
export function writePreferences(pairs: readonly PreferenceText[]): string {
  return pairs
    .map(({ prompt, chosen, rejected, chosenSpans, rejectedSpans }) => {
      const columns = { prompt, chosen, rejected, chosen_spans: chosenSpans, rejected_spans: rejectedSpans };
      return `${JSON.stringify(columns)}\n`; // without those that are undefined
    })
    .join('');
}

/** The file of a run of a thousand iterations is smaller, and no context needs such a long line. */
const limits = { mostSigns: 8_000_000, mostLineSigns: 50_000 };

/**
 * Reads pairs; empty lines and a byte order mark are skipped. Throws FormatError with the line and the column if a line
 * is invalid. A pair whose two sides are equal is invalid too, because such a pair contains no preference.
 */
export const readPreferences = (text: string): PreferenceText[] => readJsonLines(text, limits, readPair);

function readPair(json: unknown, number: number): PreferenceText {
  const parsed = v.safeParse(schema, json);
  if (!parsed.success) {
    const { field: column, received } = placeIn(parsed.issues);
    const expected = /_spans/.test(column) ? spoken`a list of pairs [from, to] of whole numbers` : 'text';
    throw new FormatError(
      spoken`line ${number}: ${column}: expected ${expected}, got ${received}; a pair has the columns prompt, chosen and rejected.`,
    );
  }
  const { prompt, chosen, rejected, chosen_spans: chosenSpans, rejected_spans: rejectedSpans } = parsed.output;
  if (chosen === rejected)
    throw new FormatError(
      spoken`line ${number}: chosen and rejected are the same, so there is no preferred text; leave the line out.`,
    );
  return { prompt, chosen, rejected, ...(chosenSpans && { chosenSpans }), ...(rejectedSpans && { rejectedSpans }) };
}
