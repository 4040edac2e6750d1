// The page's view of one group: every token's numbers, from one forward pass after the last update of the iteration.
// Arrays run parallel to `trajectory.turns[i].tokens`.
import * as v from 'valibot';
import { formulaSchema, turnTerms } from './formula.ts';
import { whole } from './problem.ts';
import { problemEndsSchema } from './problemEnds.ts';
import { anyNumber, trajectorySchema } from './trajectory.ts';

const numbers = v.array(anyNumber);

/** The argument of min() that was used: 0 the unclipped · 1 the clipped · 2 the dual clip. */
const won = v.picklist([0, 1, 2]);
export type Won = v.InferOutput<typeof won>;
export const wonWords: Record<Won, string> = { 0: 'unclipped', 1: 'clipped', 2: 'dual clip' };

const tokenAlternative = v.object({ token: v.string(), p: anyNumber });

const turnInspection = v.object({
  /** Each token in the notation of the page. */
  tokens: v.array(v.string()),
  /** Probability under the updated policy. */
  p: numbers,
  /** Probability when it was sampled. */
  pBefore: numbers,
  /** Ratio at token level. */
  tokenRatio: numbers,
  /** Ratio at the level that the loss used, the same for all tokens of a span. */
  ratio: numbers,
  advantage: numbers,
  /** k3 estimate against the reference; empty if there is no reference. */
  kl: numbers,
  entropy: numbers,
  won: v.array(won),
  /** The critic's value; empty if there is no critic. */
  value: numbers,
  /** Rank of the token among all tokens, 1 for the likeliest; absent for a small vocabulary. */
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
  /** All its advantages are 0, so it has no gradient; also false if they are unknown. */
  isDead: v.boolean(),
  meanReward: anyNumber,
  /** Sorted by reward, best first. */
  rollouts: v.array(rolloutInspection),
  /** Outcomes of all problems of its iteration, including this group; absent if groups have several rollouts. */
  problems: v.exactOptional(problemEndsSchema),
  /** How its learner turned rewards into a loss; absent for a learner without a card. */
  formula: v.exactOptional(formulaSchema),
  /**
   * The iteration after which the weights behind these numbers, and the critic's values, were taken; absent: its own
   * update.
   */
  weightsAfter: v.exactOptional(whole),
  /**
   * The reason why advantages, and everything that depends on them, are unknown, in words; absent if they are known.
   */
  lacking: v.exactOptional(v.string()),
});
export type GroupInspection = v.InferOutput<typeof groupSchema>;
