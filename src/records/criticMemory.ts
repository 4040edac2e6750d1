// What a run with a joint critic (MAPPO, HAPPO) keeps beside its networks, as plain data.

/** The newest joint transcripts and what followed each of their turns, packed. */
export interface CriticMemoryState {
  /** Dialogues stored so far, those that have been overwritten included. */
  stored: number;
  /** Whole numbers of all dialogues, slot after slot (training/criticMemory.ts). */
  facts: Uint16Array;
  /** Returns, turn after turn. */
  returns: Float64Array;
}
