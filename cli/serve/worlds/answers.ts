// Validates the answers of a served world to the questions of its contract, as an external trainer receives them. The
// server is another program, possibly somebody else's.
import * as v from 'valibot';
import { WorldError } from '../../../src/base/errors.ts';
import { quoted } from '../../../src/base/quote.ts';
import { asGiven } from '../../../src/base/reason.ts';
import type { WorldCall } from './questions.ts';

const answer = v.nullable(v.string());
const parts = v.record(v.string(), v.number());

const reaction = v.looseObject({
  state: v.optional(v.unknown()),
  observation: v.exactOptional(
    v.looseObject({ source: v.string(), text: v.string(), readers: v.exactOptional(v.array(v.number())) }),
  ),
  isOver: v.exactOptional(v.boolean()),
});
const forms = {
  open: reaction,
  react: reaction,
  judge: v.looseObject({ answer, isRight: v.boolean(), score: v.number() }),
  assess: v.looseObject({
    perTurn: v.array(
      v.looseObject({
        ...{ parts, reason: v.pipe(v.string(), v.transform(asGiven)) },
        ...{ isRight: v.exactOptional(v.boolean()), score: v.exactOptional(v.number()) },
      }),
    ),
    ...{ answer, isRight: v.boolean(), potentials: v.array(v.number()), prospect: v.exactOptional(v.number()) },
  }),
} as const;

/** The served world's answer to a question. Throws WorldError if the answer is invalid. */
export function readAnswer(call: WorldCall, json: string | undefined): unknown {
  const refuse = (why: string) =>
    new WorldError(
      `${call}: expected the answer of a world, got ${why}; start the same version of cothink serve there.`,
    );
  let told: unknown;
  try {
    told = JSON.parse(json ?? '');
  } catch {
    throw refuse(quoted(json));
  }
  const read = v.safeParse(forms[call], told);
  if (read.success) return read.output;
  throw refuse(
    `${quoted(told)} (${v.getDotPath(read.issues[0]) ?? 'the whole answer'}: ${read.issues[0].message.slice(0, 100)})`,
  );
}
