// What a run with a mixing critic (VDN, QMIX) keeps beside its networks, as plain data.

/** The newest dialogues as rounds, packed. */
export interface ReplayState {
  /** Dialogues stored so far, those that have been overwritten included. */
  stored: number;
  /** Whole numbers of all dialogues, slot after slot (training/mixingReplay.ts). */
  facts: Uint16Array;
  /** What the team earned, round after round. */
  rewards: Float64Array;
}
