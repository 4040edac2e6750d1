// The values that a module's functions may return, as schemas. Everything that comes from other code is checked with
// them. The other code is a module in the sandbox, or a server that runs a world.
import * as v from 'valibot';
import { asGiven } from '../../base/reason.ts';
import { toldSchema } from '../../config/told.ts';
import type { WorldFunction, WorldModule } from './worldModule.ts';

const text = v.string();
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const size = v.pipe(v.number(), v.integer(), v.minValue(1));
const parts = v.record(text, share);
/** A reason, given as a text or as clauses in the form of data. */
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

/** The result of each function of the contract. */
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
  chat: v.array(v.object({ role: v.picklist(['system', 'user', 'assistant']), content: text })),
} as const satisfies { [F in WorldFunction]: v.GenericSchema<unknown, Result<F>> };

/** The functions whose first argument is `random`. */
export const drawingFunctions: readonly WorldFunction[] = ['draw', 'heldOut', 'demonstrate'];
/** The functions that are rarely called and may process many problems. */
export const countingFunctions: readonly WorldFunction[] = ['heldOut', 'ceiling', 'bestGuess', 'most'];
