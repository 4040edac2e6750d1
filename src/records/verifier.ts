// The answers that a verifier keeps in memory, and the reliability of its scores.
import * as v from 'valibot';
import { whole } from './problem.ts';
import { amount } from './profile.ts';

/** One answer that a verifier learns from. */
export const rememberedAnswer = v.object({
  /** The number of iterations done before the one in which the answer was given. */
  iteration: whole,
  /** The problem's id. */
  question: v.string(),
  /** The question with its rule, the header of the role that answers, and then the answer. */
  tokens: v.array(whole),
  /** Index in `tokens` at which the answer begins. */
  start: whole,
  isRight: v.boolean(),
});
export type RememberedAnswer = v.InferOutput<typeof rememberedAnswer>;

const reliabilityCount = v.object({
  /** Number of answers whose score is in this bin. */
  count: whole,
  /** How many of these answers were right. */
  right: whole,
  /** The mean score of these answers; 0 if there are none. */
  meanScore: amount,
});

/**
 * A comparison of the scores of one iteration's answers with the truth. The scores were computed before the verifier
 * learned from these answers.
 */
export const reliabilitySchema = v.object({
  /** Bins of equal width over scores from 0 to 1. */
  bins: v.array(reliabilityCount),
  /** The number of questions whose answers were all right or all wrong, and the number of all questions. */
  oneSided: whole,
  questions: whole,
});
export type Reliability = v.InferOutput<typeof reliabilitySchema>;
