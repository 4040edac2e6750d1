// Preference pairs as JSON Lines, one pair per line, with the columns `prompt, chosen, rejected`, which is the format
// of DPO trainers. Two further columns, `chosen_spans` and `rejected_spans`, mark the tokens of a text that the agent
// itself sampled. Other programs ignore these columns. Unknown columns are ignored here too, so files of other programs
// can be imported.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { shortened } from '../base/quote.ts';
import { readLooseJson } from './looseJson.ts';
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

/**
 * Maximum number of characters of a file and of a line. The file of a run of a thousand iterations is smaller, and no
 * context needs such a long line.
 */
const mostSigns = 8_000_000;
const mostLineSigns = 50_000;

/**
 * Reads pairs; empty lines and a byte order mark are skipped. Throws FormatError with the line and the column if a line
 * is invalid. A pair whose two sides are equal is invalid too, because such a pair contains no preference.
 */
export function readPreferences(text: string): PreferenceText[] {
  if (text.length > mostSigns)
    throw new FormatError(
      spoken`the file: expected at most ${mostSigns} characters, got ${text.length}; import a part of the file.`,
    );
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, i) => (line.trim() === '' ? [] : [readPair(line, i + 1)]));
}

function readPair(line: string, number: number): PreferenceText {
  if (line.length > mostLineSigns)
    throw new FormatError(
      spoken`line ${number}: expected at most ${mostLineSigns} characters, got ${line.length}; a longer pair does not fit into any context, so shorten it or leave it out.`,
    );
  let json: unknown;
  try {
    json = readLooseJson(line);
  } catch (cause) {
    throw new FormatError(
      spoken`line ${number}: expected JSON, got something else (${shortened((cause as Error).message)}).`,
    );
  }
  const parsed = v.safeParse(schema, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const column = v.getDotPath(issue) ?? spoken`the whole line`;
    const expected = /_spans/.test(column) ? spoken`a list of pairs [from, to] of whole numbers` : 'text';
    throw new FormatError(
      spoken`line ${number}: ${column}: expected ${expected}, got ${issue.received === 'undefined' ? spoken`nothing` : issue.received}; a pair has the columns prompt, chosen and rejected.`,
    );
  }
  const { prompt, chosen, rejected, chosen_spans: chosenSpans, rejected_spans: rejectedSpans } = parsed.output;
  if (chosen === rejected)
    throw new FormatError(
      spoken`line ${number}: chosen and rejected are the same, so there is no preferred text; leave the line out.`,
    );
  return { prompt, chosen, rejected, ...(chosenSpans && { chosenSpans }), ...(rejectedSpans && { rejectedSpans }) };
}
