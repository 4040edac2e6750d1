// The page's view of one group, with the numbers of every token. They come from one forward pass after the last update
// of the iteration. The arrays are parallel to `trajectory.turns[i].tokens`.
import * as v from 'valibot';
import { formulaSchema, turnTerms } from './formula.ts';
import { whole } from './problem.ts';
import { problemEndsSchema } from './problemEnds.ts';
import { anyNumber, trajectorySchema } from './trajectory.ts';

const numbers = v.array(anyNumber);

/** Which argument of min() was used: 0 for the unclipped one, 1 for the clipped one, 2 for the dual clip. */
const won = v.picklist([0, 1, 2]);
export type Won = v.InferOutput<typeof won>;
export const wonWords: Record<Won, string> = { 0: 'unclipped', 1: 'clipped', 2: 'dual clip' };

const tokenAlternative = v.object({ token: v.string(), p: anyNumber });

const turnInspection = v.object({
  /** Each token in the notation of the page. */
  tokens: v.array(v.string()),
  /** Probability under the updated policy. */
  p: numbers,
  /** Probability at the time of sampling. */
  pBefore: numbers,
  /** Ratio at token level. */
  tokenRatio: numbers,
  /** Ratio at the level that the loss used; it is equal for all tokens of a span. */
  ratio: numbers,
  advantage: numbers,
  /** The k3 estimate of the KL from the reference; empty if there is no reference. */
  kl: numbers,
  entropy: numbers,
  won: v.array(won),
  /** The value that the critic predicts; empty if there is no critic. */
  value: numbers,
  /** The rank of the token among all tokens, which is 1 for the most likely one; absent for a small vocabulary. */
  rank: v.exactOptional(numbers),
  /** The most probable other tokens, best first. */
  alternatives: v.array(v.array(tokenAlternative)),
  /** The other terms of the learner's formula; absent if nothing was learned. */
  terms: v.exactOptional(turnTerms),
});
export type TurnInspection = v.InferOutput<typeof turnInspection>;

const rolloutInspection = v.object({
  trajectory: trajectorySchema,
  /** By turn. */
  turns: v.array(turnInspection),
  /** The exact prompt of each agent, decoded. */
  promptTexts: v.array(v.string()),
});
export type RolloutInspection = v.InferOutput<typeof rolloutInspection>;

export const groupSchema = v.object({
  iteration: whole,
  group: whole,
  /**
   * Whether all advantages of the group are 0, so that the group has no gradient; also false if the advantages are
   * unknown.
   */
  isDead: v.boolean(),
  meanReward: anyNumber,
  /** Sorted by reward, best first. */
  rollouts: v.array(rolloutInspection),
  /** Outcomes of all problems of the group's iteration, including this one; absent if groups have several rollouts. */
  problems: v.exactOptional(problemEndsSchema),
  /** How the learner turned rewards into a loss; absent for a learner without a card. */
  formula: v.exactOptional(formulaSchema),
  /**
   * These numbers and the critic's values were computed with the weights after this iteration; absent if it is the
   * group's own iteration.
   */
  weightsAfter: v.exactOptional(whole),
  /**
   * The reason, in words, why the advantages and everything that depends on them are unknown; absent if they are known.
   */
  lacking: v.exactOptional(v.string()),
});
export type GroupInspection = v.InferOutput<typeof groupSchema>;
