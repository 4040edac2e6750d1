// What a run with a joint critic (MAPPO, HAPPO) keeps beside its networks, as plain data.

/** The newest joint transcripts and what followed each of their turns, packed. */
export interface CriticMemoryState {
  /** Dialogues stored so far, those that have been overwritten included. */
  stored: number;
  /** Whole numbers of all dialogues, slot after slot (training/critics/jointCritic.ts). */
  facts: Uint16Array;
  /** Returns, turn after turn. */
  returns: Float64Array;
}

/**
 * What does not add up in a packed memory of at most `size` dialogues, as what was expected and what came; null where all
 * does.
 */
export function memoryFault({ stored, facts, returns }: CriticMemoryState, size: number): string | null {
  let [at, dialogues, paid] = [0, 0, 0];
  while (at < facts.length) {
    const length = facts[at] as number;
    const from = at + 1 + length + 1;
    const count = facts[from - 1] ?? 0;
    at = from + count;
    if (at > facts.length) return `${at} facts or more, got ${facts.length}`;
    const beyond = facts.subarray(from, at).find((column) => column >= length);
    if (beyond !== undefined) return `columns within ${length} tokens, got ${beyond}`;
    paid += count;
    dialogues++;
  }
  if (paid !== returns.length) return `${paid} returns, got ${returns.length}`;
  const kept = Math.min(stored, size);
  return dialogues === kept ? null : `${kept} dialogues, got ${dialogues}`;
}
