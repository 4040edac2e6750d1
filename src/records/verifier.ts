// The answers that a verifier remembers, and the reliability of its scores.
import * as v from 'valibot';
import { whole } from './problem.ts';
import { amount } from './profile.ts';

/** One answer that a verifier learns from. */
export const rememberedAnswer = v.object({
  /** Iterations done before the one it was given in. */
  iteration: whole,
  /** The problem's id. */
  question: v.string(),
  /** The question with its rule, the header of the answering role, then the answer. */
  tokens: v.array(whole),
  /** Where the answer begins in `tokens`. */
  start: whole,
  isRight: v.boolean(),
});
export type RememberedAnswer = v.InferOutput<typeof rememberedAnswer>;

const reliabilityCount = v.object({
  /** Answers that scored in this bin. */
  count: whole,
  /** How many of them were right. */
  right: whole,
  /** Their mean score; 0 where there is none. */
  meanScore: amount,
});

/** Scores of one iteration's answers against the truth, judged before they were learned from. */
export const reliabilitySchema = v.object({
  /** Bins of equal width over scores from 0 to 1. */
  bins: v.array(reliabilityCount),
  /** Number of questions whose answers were all right or all wrong, and of all questions. */
  oneSided: whole,
  questions: whole,
});
export type Reliability = v.InferOutput<typeof reliabilitySchema>;
