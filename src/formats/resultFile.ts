// Reads and writes result files. A result file contains a visitor's measurements of claims as JSON, so a class can
// collect measurements with many seeds without a server.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { shortened } from '../base/quote.ts';
import { sha256 } from '../base/sha256.ts';
import { difference } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import type { ClaimRecord } from '../records/claims/claimRecord.ts';
import { resultSchema, type ClaimResult } from '../records/claims/result.ts';
import { readRunFile } from './runFile.ts';

const format = 1;
const kind = 'cothink-claim-results';
/** The maximum number of results in a file, which is more than any class needs. */
const most = 100_000;

/** Settings that are not part of an arm, because the experiment determines seeds, numbers of tokens and evaluations. */
const unasked = /^(run|evaluation)\./;

/**
 * A digest that identifies the experiment of a result: results with equal digests come from the same experiment. The
 * digest is the SHA-256 of three things: the settings in which each arm differs from the default preset, the numbers of
 * tokens, and the measure. The result is null if an arm cannot be run on the page. Throws FormatError or ConfigError if
 * this version cannot read the settings of an arm.
 */
export function claimDigest({
  arms,
  tokens,
  measuredBy,
}: Pick<ClaimRecord, 'arms' | 'tokens' | 'measuredBy'>): string | null {
  const base = presetConfig('default');
  const settings = arms.map(({ run }) =>
    run === null
      ? null
      : difference(readRunFile(run).config, base)
          .filter(({ field }) => !unasked.test(field.path))
          .map(({ field, value }) => [field.path, value]),
  );
  if (settings.includes(null)) return null;
  return sha256(JSON.stringify([settings, tokens, measuredBy]));
}

/** The text of a file with results, in the order of claims and seeds. */
export function writeResultFile(results: readonly ClaimResult[]): string {
  const sorted = results.toSorted((a, b) => a.claim.localeCompare(b.claim, 'en') || a.seed - b.seed);
  return `${JSON.stringify({ kind, format, results: sorted }, null, 2)}\n`;
}

/**
 * Reads a result file. Throws FormatError if the file is of another kind, or if a result is invalid. The message states
 * the kind of file or the invalid field.
 */
export function readResultFile(text: string): ClaimResult[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new FormatError(spoken`the result file: expected JSON; choose a file that was saved with “Export results”.`);
  }
  const head = v.safeParse(
    v.object({ kind: v.literal(kind), format: v.unknown(), results: v.array(v.unknown()) }),
    given,
  );
  if (!head.success)
    throw new FormatError(
      spoken`the result file: expected results of claims; choose a file that was saved with “Export results”.`,
    );
  if (head.output.format !== format)
    throw new FormatError(
      spoken`the result file: expected format ${format}, got ${shortened(String(head.output.format))}; the file was written by another version of Cothink; open the file in that version, or run the claim here.`,
    );
  if (head.output.results.length > most)
    throw new FormatError(
      spoken`the result file: expected at most ${most} results, got ${head.output.results.length}.`,
    );
  return head.output.results.map((one, i) => {
    const read = v.safeParse(resultSchema, one);
    if (read.success) return read.output;
    const [issue] = read.issues;
    const where = v.getDotPath(issue);
    throw new FormatError(
      spoken`the result file: results.${i}${where ? `.${where}` : ''}: expected ${issue.message}, got ${shortened(issue.received)}.`,
    );
  });
}
