// What a run with a critic of its own keeps beside its networks, as plain data: of a joint one (MAPPO, HAPPO) the newest
// transcripts and their returns, of a mixing one (VDN, QMIX) the newest dialogues as rounds.
import * as v from 'valibot';
import { whole } from './problem.ts';

const packedFacts: v.GenericSchema<unknown, Uint16Array> = v.instance(Uint16Array);
const doubles: v.GenericSchema<unknown, Float64Array> = v.instance(Float64Array);

/** The newest joint transcripts and what followed each of their turns, packed. */
export const criticMemorySchema = v.object({
  /** Dialogues stored so far, those that have been overwritten included. */
  stored: whole,
  /** Whole numbers of all dialogues, slot after slot (training/critics/jointCritic.ts). */
  facts: packedFacts,
  /** Returns, turn after turn. */
  returns: doubles,
});
export type CriticMemoryState = v.InferOutput<typeof criticMemorySchema>;

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

/** The newest dialogues as rounds, packed. */
export const replaySchema = v.object({
  /** Dialogues stored so far, those that have been overwritten included. */
  stored: whole,
  /**
   * Whole numbers of all dialogues, slot after slot: the number of tokens and the tokens; the number of rounds; of each
   * round the column of its state and the number of its messages; of each message agent, turn, first and last column.
   */
  facts: packedFacts,
  /** What the team earned, round after round. */
  rewards: doubles,
});
export type ReplayState = v.InferOutput<typeof replaySchema>;

/** What a replay was made for. */
export interface ReplayLimits {
  /** Dialogues at most. */
  size: number;
  agents: number;
}

/** What does not add up in a packed replay, as what was expected and what came; null where all does. */
export function replayFault({ stored, facts, rewards }: ReplayState, { size, agents }: ReplayLimits): string | null {
  let [at, dialogues, rounds] = [0, 0, 0];
  const next = () => facts[at++] ?? Number.NaN;
  while (at < facts.length) {
    const length = next();
    at += length;
    const count = next();
    for (let round = 0; round < count; round++, rounds++) {
      const [stateAt, messages] = [next(), next()];
      if (stateAt >= length) return `a state within ${length} tokens, got column ${stateAt}`;
      for (let message = 0; message < messages; message++) {
        const [agent, , from, to] = [next(), next(), next(), next()];
        if (agent >= agents) return `agents below ${agents}, got ${agent}`;
        if (from > to || to > length) return `messages within ${length} tokens, got columns ${from} to ${to}`;
      }
    }
    // Beyond its end everything is NaN, with which no number of rounds or messages goes on.
    if (at > facts.length) return `${at} numbers or more, got ${facts.length}`;
    dialogues++;
  }
  if (rounds !== rewards.length) return `${rounds} rewards, got ${rewards.length}`;
  if (!rewards.every(Number.isFinite)) return 'finite rewards';
  const kept = Math.min(stored, size);
  return dialogues === kept ? null : `${kept} dialogues, got ${dialogues}`;
}
