// Schemas of the values that the functions of a module may return. They are used to check values from foreign code: the
// results of a module in the sandbox, and of a server that runs a world.
import * as v from 'valibot';
import { asGiven } from '../../base/reason.ts';
import { toldSchema } from '../../config/told.ts';
import type { WorldFunction, WorldModule } from './worldModule.ts';

const text = v.string();
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const size = v.pipe(v.number(), v.integer(), v.minValue(1));
const parts = v.record(text, share);
/** A reason, which is either a text or a list of clauses. */
const reason = v.union([v.pipe(text, v.transform(asGiven)), toldSchema]);

const drawn = v.object({
  id: v.exactOptional(text),
  shown: text,
  hidden: v.optional(v.record(text, text), {}),
  answer: text,
  slice: v.optional(text, ''),
  given: v.optional(v.unknown(), null),
});

const judged = v.looseObject({
  answer: v.nullable(text),
  isRight: v.exactOptional(v.boolean()),
  score: v.exactOptional(share),
  parts: v.exactOptional(parts),
  reason: v.exactOptional(reason),
});

const reaction = v.looseObject({
  state: v.optional(v.unknown(), null),
  isOver: v.exactOptional(v.boolean()),
  observation: v.exactOptional(v.looseObject({ source: text, text, readers: v.exactOptional(v.array(whole)) })),
});

const shown = v.object({
  agent: whole,
  round: v.optional(whole, 0),
  text,
  isFinish: v.optional(v.boolean(), false),
  score: v.exactOptional(share),
  maskedFor: v.exactOptional(v.array(whole)),
});

const assessed = v.looseObject({
  perTurn: v.array(
    v.looseObject({ parts, reason, isRight: v.exactOptional(v.boolean()), score: v.exactOptional(share) }),
  ),
  answer: v.nullable(text),
  isRight: v.boolean(),
  potentials: v.array(share),
  prospect: v.exactOptional(share),
});

type Result<F extends WorldFunction> = Awaited<ReturnType<NonNullable<WorldModule[F]>>>;

/** The schema of the result of each function in the contract. */
export const worldResults = {
  draw: drawn,
  judge: judged,
  view: text,
  limits: v.object({
    roundLimit: size,
    windows: v.array(size),
    promptWindow: size,
    observationWindow: v.exactOptional(size),
  }),
  heldOut: v.array(drawn),
  ceiling: share,
  bestGuess: share,
  most: share,
  read: drawn,
  isPlain: v.boolean(),
  demonstrate: v.pipe(v.array(shown), v.minLength(1)),
  open: reaction,
  react: reaction,
  assess: assessed,
  facts: v.record(v.string(), text),
  fromWords: v.object({ text, isExact: v.boolean() }),
  toWords: text,
  observedInWords: text,
  chat: v.array(v.object({ role: v.picklist(['system', 'user', 'assistant']), content: text })),
} as const satisfies { [F in WorldFunction]: v.GenericSchema<unknown, Result<F>> };

/** The functions that get `random` as their first argument. */
export const drawingFunctions: readonly WorldFunction[] = ['draw', 'heldOut', 'demonstrate'];
/** The functions that may take longer, because these functions process many problems and are rarely called. */
export const countingFunctions: readonly WorldFunction[] = ['heldOut', 'ceiling', 'bestGuess', 'most'];
