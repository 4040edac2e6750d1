// Of two things said in answer to one prompt, which is preferred: what DPO (2305.18290) learns from. As text, in the
// columns that other trainers read.
import * as v from 'valibot';
import { whole } from '../problem.ts';

/** Tokens [from, to) of a text, counted from its first. */
const tokenSpan = v.tuple([whole, whole]);
export type TokenSpan = v.InferOutput<typeof tokenSpan>;

/** What dialogues are compared by: what they earned, or what a trained verifier thinks of their last answers. */
export type ComparedBy = 'reward' | 'verifier';

export const preferenceSchema = v.object({
  prompt: v.string(),
  chosen: v.string(),
  rejected: v.string(),
  /**
   * What the speaker itself sampled, turn by turn: the text alone does not tell the end it chose from the one that was
   * put after a turn that was cut. Absent: by the headers.
   */
  chosenSpans: v.exactOptional(v.array(tokenSpan)),
  rejectedSpans: v.exactOptional(v.array(tokenSpan)),
});
export type PreferenceText = v.InferOutput<typeof preferenceSchema>;

/** A pair as it was mined, with where it comes from. */
export interface MinedPreference extends PreferenceText {
  /** Index of the problem within its iteration. */
  group: number;
  agent: number;
  /** How much more the chosen one earned, > 0. */
  gap: number;
}
