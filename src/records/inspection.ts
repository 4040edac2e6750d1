// The data about one group that the page displays, with the numbers of every token. These numbers are computed by one
// forward pass after the last update of the iteration. The arrays are parallel to `trajectory.turns[i].tokens`.
import * as v from 'valibot';
import { formulaSchema, turnTerms } from './formula.ts';
import { whole } from './problem.ts';
import { problemEndsSchema } from './problemEnds.ts';
import { anyNumber, trajectorySchema } from './trajectory.ts';

const numbers = v.array(anyNumber);

/**
 * Which term of the clipped loss was used: 0 for the unclipped term, 1 for the clipped term, and 2 for the dual clip.
 */
const won = v.picklist([0, 1, 2]);
export type Won = v.InferOutput<typeof won>;
export const wonWords: Record<Won, string> = { 0: 'unclipped', 1: 'clipped', 2: 'dual clip' };

const tokenAlternative = v.object({ token: v.string(), p: anyNumber });

const turnInspection = v.object({
  /**
   * Each token as text, as the page displays it. If agents talk in plain words, the tokens together are the text of the
   * turn. A character that spans several tokens belongs to the last of them; the others are empty.
   */
  tokens: v.array(v.string()),
  /** The probability of each token under the updated policy. */
  p: numbers,
  /** The probability of each token when it was sampled. */
  pBefore: numbers,
  /** The ratio of each token, computed at token level. */
  tokenRatio: numbers,
  /**
   * The ratio that the loss used. If the ratio is computed for whole turns or trajectories, all tokens of a turn or
   * trajectory have the same ratio.
   */
  ratio: numbers,
  advantage: numbers,
  /** The k3 estimate of the KL divergence from the reference; empty if there is no reference. */
  kl: numbers,
  entropy: numbers,
  won: v.array(won),
  /** The value that the critic predicts; empty if there is no critic. */
  value: numbers,
  /**
   * The rank of each sampled token among all tokens of the vocabulary. The most likely token has rank 1. Absent if the
   * vocabulary is small.
   */
  rank: v.exactOptional(numbers),
  /** The most probable other tokens at each position, the most probable first. */
  alternatives: v.array(v.array(tokenAlternative)),
  /** The values of further terms of the learner's formula; absent if the learner did not learn from this turn. */
  terms: v.exactOptional(turnTerms),
});
export type TurnInspection = v.InferOutput<typeof turnInspection>;

const rolloutInspection = v.object({
  trajectory: trajectorySchema,
  /** The inspection of each turn. */
  turns: v.array(turnInspection),
  /** The exact prompt of each agent, as text. */
  promptTexts: v.array(v.string()),
});
export type RolloutInspection = v.InferOutput<typeof rolloutInspection>;

export const groupSchema = v.object({
  iteration: whole,
  group: whole,
  /**
   * Whether all advantages of the group are 0, so that the group has no gradient; false if the advantages are unknown.
   */
  isDead: v.boolean(),
  meanReward: anyNumber,
  /** The rollouts of the group, sorted by reward, best first. */
  rollouts: v.array(rolloutInspection),
  /**
   * The outcomes of all problems of the iteration, including the problem of this group; absent if a group has several
   * rollouts.
   */
  problems: v.exactOptional(problemEndsSchema),
  /**
   * The formula by which the learner computed the loss from the rewards; absent if the page has no formula for this
   * learner.
   */
  formula: v.exactOptional(formulaSchema),
  /**
   * The iteration with whose weights the numbers of this inspection were computed; absent if this is the iteration of
   * the group.
   */
  weightsAfter: v.exactOptional(whole),
  /**
   * The reason why the advantages, and all numbers that depend on them, are unknown; absent if the advantages are
   * known.
   */
  lacking: v.exactOptional(v.string()),
});
export type GroupInspection = v.InferOutput<typeof groupSchema>;
