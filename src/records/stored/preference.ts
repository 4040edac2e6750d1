// Two completions of the same prompt, one chosen and one rejected, from which DPO learns (2305.18290). They are stored
// as text, in the columns that other trainers read.
import * as v from 'valibot';
import { whole } from '../problem.ts';

/** The tokens [from, to) of a text; the first token has index 0. */
const tokenSpan = v.tuple([whole, whole]);
export type TokenSpan = v.InferOutput<typeof tokenSpan>;

/** The criterion of a preference: the reward, or a trained verifier's score of the last answer. */
export type ComparedBy = 'reward' | 'verifier';

export const preferenceSchema = v.object({
  prompt: v.string(),
  chosen: v.string(),
  rejected: v.string(),
  /**
   * Spans of tokens that the speaker itself sampled, turn by turn. They are needed because the text alone does not show
   * whether an end of turn was sampled or appended to a truncated turn. If the spans are absent, they are determined
   * from the headers of the turns.
   */
  chosenSpans: v.exactOptional(v.array(tokenSpan)),
  rejectedSpans: v.exactOptional(v.array(tokenSpan)),
});
export type PreferenceText = v.InferOutput<typeof preferenceSchema>;

/** A pair with the dialogues from which it was formed. */
export interface MinedPreference extends PreferenceText {
  /** Index of the problem within its iteration. */
  group: number;
  agent: number;
  /** The reward of the chosen completion minus that of the rejected one; it is above 0. */
  gap: number;
}
