// The form of a stored trajectory, and of what the page shows of one: what validate.ts and pack.ts check against.
import * as v from 'valibot';
import { learnerNames } from '../config/names.ts';
import { termNames } from '../records/formula.ts';
import { roles } from '../records/ids.ts';
import { ruleNames } from '../records/problem.ts';
import { rewardNames } from '../records/trajectory.ts';

export const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Any number; a measurement may be NaN and is still a measurement. */
export const anyNumber = v.union([v.number(), v.nan()]);

const wholes = v.array(whole);
const numbers = v.array(anyNumber);

const reactionSchema = v.object({
  observation: v.exactOptional(
    v.object({
      ...{ source: v.string(), text: v.string(), readers: v.exactOptional(wholes) },
      isTruncated: v.exactOptional(v.boolean()),
    }),
  ),
  state: v.unknown(),
  isOver: v.exactOptional(v.boolean()),
});

const turnSchema = v.object({
  index: whole,
  set: v.exactOptional(whole),
  round: whole,
  agent: whole,
  role: v.picklist(roles),
  tokens: wholes,
  logprobs: numbers,
  text: v.string(),
  isTruncated: v.boolean(),
  isFinish: v.boolean(),
  parts: v.object(Object.fromEntries(rewardNames.map((name) => [name, anyNumber]))),
  reason: v.string(),
  reward: anyNumber,
  isRight: v.exactOptional(v.boolean()),
  score: v.exactOptional(anyNumber),
  feedback: v.exactOptional(whole),
  maskedFor: v.exactOptional(wholes),
  influence: v.exactOptional(anyNumber),
  belief: v.exactOptional(anyNumber),
  reaction: v.exactOptional(reactionSchema),
});

export const trajectorySchema = v.object({
  index: whole,
  group: whole,
  problem: v.object({
    id: v.string(),
    level: whole,
    expression: v.string(),
    rule: v.picklist(ruleNames),
    answer: v.string(),
  }),
  prompts: v.array(wholes),
  opening: v.exactOptional(reactionSchema),
  turns: v.array(turnSchema),
  finishCode: v.picklist([0, 1, 2, 3]),
  answer: v.nullable(v.string()),
  isRight: v.boolean(),
  reward: anyNumber,
  branch: v.exactOptional(v.object({ tree: whole, from: whole })),
});

const termName = v.picklist(termNames);
const formulaSchema = v.object({
  learner: v.picklist(learnerNames),
  loss: v.exactOptional(v.picklist(['preference', 'imitation', 'demonstration'])),
  lines: v.array(
    v.object({
      title: v.string(),
      left: termName,
      right: v.array(v.union([v.string(), v.object({ term: termName })])),
    }),
  ),
  constants: v.record(termName, anyNumber),
});

const inspectedTurn = v.object({
  tokens: v.array(v.string()),
  p: numbers,
  pBefore: numbers,
  tokenRatio: numbers,
  ratio: numbers,
  advantage: numbers,
  kl: numbers,
  entropy: numbers,
  won: v.array(v.picklist([0, 1, 2])),
  value: numbers,
  alternatives: v.array(v.array(v.object({ token: v.string(), p: anyNumber }))),
  terms: v.exactOptional(v.record(termName, numbers)),
});

export const groupSchema = v.object({
  iteration: whole,
  group: whole,
  isDead: v.boolean(),
  meanReward: anyNumber,
  rollouts: v.array(
    v.object({ trajectory: trajectorySchema, turns: v.array(inspectedTurn), promptTexts: v.array(v.string()) }),
  ),
  formula: v.exactOptional(formulaSchema),
});
