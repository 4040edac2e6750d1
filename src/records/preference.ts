// Of two things said in answer to one prompt, which is preferred: what DPO (2305.18290) learns from. As text, in the
// columns that other trainers read.

/** Tokens [from, to) of a text, counted from its first. */
export type TokenSpan = [from: number, to: number];

/** What dialogues are compared by: what they earned, or what a trained verifier thinks of their last answers. */
export type ComparedBy = 'reward' | 'verifier';

export interface PreferenceText {
  prompt: string;
  chosen: string;
  rejected: string;
  /**
   * What the speaker itself sampled, turn by turn: the text alone does not tell the end it chose from the one that was
   * put after a turn that was cut. Absent: by the headers.
   */
  chosenSpans?: TokenSpan[];
  rejectedSpans?: TokenSpan[];
}

/** A pair as it was mined, with where it comes from. */
export interface MinedPreference extends PreferenceText {
  /** Index of the problem within its iteration. */
  group: number;
  agent: number;
  /** How much more the chosen one earned, > 0. */
  gap: number;
}
