// The answers that a verifier remembers, and the reliability of its scores.
import * as v from 'valibot';
import { whole } from './problem.ts';
import { amount } from './profile.ts';

/** One answer that a verifier learns from. */
export const rememberedAnswer = v.object({
  /** Number of iterations done before the one in which it was given. */
  iteration: whole,
  /** The problem's id. */
  question: v.string(),
  /** The question with its rule, the header of the answering role, then the answer. */
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
  /** Their mean score; 0 if there are none. */
  meanScore: amount,
});

/** Scores of one iteration's answers compared with the truth, computed before the verifier learned from them. */
export const reliabilitySchema = v.object({
  /** Bins of equal width over scores from 0 to 1. */
  bins: v.array(reliabilityCount),
  /** Number of questions whose answers were all right or all wrong, and of all questions. */
  oneSided: whole,
  questions: whole,
});
export type Reliability = v.InferOutput<typeof reliabilitySchema>;
