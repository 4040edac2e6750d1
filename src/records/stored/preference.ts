// Two completions of the same prompt, one chosen and one rejected, from which DPO learns (2305.18290). The completions
// are stored as text, in the columns that other training programs use.
import * as v from 'valibot';
import { whole } from '../problem.ts';

/** The range [from, to) of token indices in a text, counted from 0. */
const tokenSpan = v.tuple([whole, whole]);
export type TokenSpan = v.InferOutput<typeof tokenSpan>;

/**
 * The value that determines which completion is preferred: the reward, or the score that a trained verifier gives to
 * the last answer.
 */
export type ComparedBy = 'reward' | 'verifier';

export const preferenceSchema = v.object({
  prompt: v.string(),
  chosen: v.string(),
  rejected: v.string(),
  /**
   * The ranges of tokens that the agent itself sampled, one for each turn. The ranges are needed because the text does
   * not show whether an end-of-turn token was sampled, or was appended to a truncated turn. If the ranges are absent,
   * they are determined from the headers of the turns.
   */
  chosenSpans: v.exactOptional(v.array(tokenSpan)),
  rejectedSpans: v.exactOptional(v.array(tokenSpan)),
});
export type PreferenceText = v.InferOutput<typeof preferenceSchema>;

/** A preference pair from dialogues of a run. */
export interface MinedPreference extends PreferenceText {
  /** The index of the problem within its iteration. */
  group: number;
  agent: number;
  /** The reward of the chosen completion minus the reward of the rejected completion; the difference is above 0. */
  gap: number;
}
