// The chosen and the rejected of two completions of one prompt: the data of DPO (2305.18290). Stored as text, in the
// columns that other trainers read.
import * as v from 'valibot';
import { whole } from '../problem.ts';

/** Tokens [from, to) of a text, counted from its first. */
const tokenSpan = v.tuple([whole, whole]);
export type TokenSpan = v.InferOutput<typeof tokenSpan>;

/** The criterion of a preference: the reward, or a trained verifier's score of the last answer. */
export type ComparedBy = 'reward' | 'verifier';

export const preferenceSchema = v.object({
  prompt: v.string(),
  chosen: v.string(),
  rejected: v.string(),
  /**
   * Spans that the speaker itself sampled, turn by turn: from the text alone, a sampled end of turn cannot be
   * distinguished from one that was appended to a truncated turn. Absent: determined from the headers.
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
  /** Difference between the rewards of the chosen and the rejected one, > 0. */
  gap: number;
}
