// The form of what the page shows of a group, as it is stored.
import * as v from 'valibot';
import { learnerNames } from '../config/names.ts';
import { termNames } from '../records/formula.ts';
import { whole } from '../records/problem.ts';
import { anyNumber, trajectorySchema } from '../records/trajectory.ts';

const numbers = v.array(anyNumber);

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
