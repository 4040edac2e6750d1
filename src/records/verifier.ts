// The answers that a verifier keeps in memory, and the reliability of its scores.
import * as v from 'valibot';
import { whole } from './problem.ts';
import { amount } from './profile.ts';

/** An answer from which a verifier learns. */
export const rememberedAnswer = v.object({
  /** The number of completed iterations before the iteration in which the answer was given. */
  iteration: whole,
  /** The problem's id. */
  question: v.string(),
  /**
   * The tokens that the verifier reads: the question with its hidden texts, the header of the answering agent's role,
   * and the answer.
   */
  tokens: v.array(whole),
  /** The index in `tokens` at which the answer begins. */
  start: whole,
  isRight: v.boolean(),
});
export type RememberedAnswer = v.InferOutput<typeof rememberedAnswer>;

const reliabilityCount = v.object({
  /** The number of answers whose score is in this bin. */
  count: whole,
  /** How many of these answers were right. */
  right: whole,
  /** The mean score of these answers; 0 if there are no such answers. */
  meanScore: amount,
});

/**
 * Compares the verifier's scores of the answers of one iteration with whether these answers were right. The scores were
 * computed before the verifier learned from these answers.
 */
export const reliabilitySchema = v.object({
  /** The bins, which divide the scores from 0 to 1 into ranges of equal width. */
  bins: v.array(reliabilityCount),
  /**
   * The number of questions whose answers were all right or all wrong (`oneSided`), and the number of all questions.
   */
  oneSided: whole,
  questions: whole,
});
export type Reliability = v.InferOutput<typeof reliabilitySchema>;
