// Validates the answers of a served world to remote calls. The server is another program, possibly somebody else's, so
// its answers are checked like those of a world that a visitor has written.
import * as v from 'valibot';
import { WorldError } from '../../../src/base/errors.ts';
import { quoted } from '../../../src/base/quote.ts';
import { worldResults } from '../../../src/tasks/contract/results.ts';
import type { WorldCall } from './questions.ts';

/** Parses the served world's answer to a call. Throws WorldError if the answer is invalid. */
export function readAnswer(call: WorldCall, json: string | undefined): unknown {
  const refuse = (why: string) =>
    new WorldError(
      `${call}: the server returned an invalid result (${why}); use the same version of cothink here and on the server.`,
    );
  let told: unknown;
  try {
    told = JSON.parse(json ?? '');
  } catch {
    throw refuse(quoted(json));
  }
  const read = v.safeParse(worldResults[call], told);
  if (read.success) return read.output;
  throw refuse(
    `${quoted(told)} (${v.getDotPath(read.issues[0]) ?? 'the whole answer'}: ${read.issues[0].message.slice(0, 100)})`,
  );
}
