// The state of separate critics apart from their networks, as plain data. For a critic that predicts returns, the state
// consists of the newest tracks, from which the critic learns, and the scale of its values. For a mixing critic (VDN,
// QMIX), the state consists of the newest dialogues, round by round.
import { spoken } from '../../base/spoken.ts';
import * as v from 'valibot';
import { whole } from '../problem.ts';

const packedFacts: v.GenericSchema<unknown, Uint16Array> = v.instance(Uint16Array);
const doubles: v.GenericSchema<unknown, Float64Array> = v.instance(Float64Array);

const finite = v.pipe(v.number(), v.finite());

/**
 * Running means of the returns and of their squares. `weight` is the sum of the weights of all returns so far, which
 * approaches 1.
 */
const valueScaleSchema = v.object({ weight: finite, mean: finite, square: finite });
export type ValueScale = v.InferOutput<typeof valueScaleSchema>;

/**
 * The newest tracks, in packed arrays. A track is a whole dialogue, or one agent's part of a dialogue, with the reward
 * of each step.
 */
export const criticMemorySchema = v.object({
  /** The number of tracks that were stored so far, including those that have been overwritten. */
  stored: whole,
  /**
   * The integers of all tracks, one track after the other. A track begins with the number of its rows. Each row
   * consists of the number of tokens and the tokens, the number of columns with a value and these columns, and the step
   * of each of these columns.
   */
  facts: packedFacts,
  /** Reward of each step. */
  rewards: doubles,
});
export type CriticMemoryState = v.InferOutput<typeof criticMemorySchema>;

/** The state of a critic apart from its network. */
export const criticStateSchema = v.object({ memory: criticMemorySchema, scale: valueScaleSchema });
export type CriticState = v.InferOutput<typeof criticStateSchema>;

/**
 * Checks a packed memory of at most `size` tracks. Returns the first error, as the expected and the actual value, or
 * null if there is none.
 */
export function memoryFault({ stored, facts, rewards }: CriticMemoryState, size: number): string | null {
  let [at, tracks, earned] = [0, 0, 0];
  while (at < facts.length) {
    const steps = new Set<number>();
    for (let row = facts[at++] as number; row > 0 && at <= facts.length; row--) {
      // Reading beyond the end of the array gives NaN, which ends the loop.
      const length = facts[at] ?? Number.NaN;
      const from = at + 1 + length + 1;
      const count = facts[from - 1] ?? Number.NaN;
      at = from + 2 * count;
      const beyond = facts.subarray(from, from + count).find((column) => column >= length);
      if (beyond !== undefined) return spoken`columns below ${length}, got ${beyond}`;
      for (const step of facts.subarray(from + count, at)) steps.add(step);
    }
    if (!(at <= facts.length)) return spoken`more than ${facts.length} facts`;
    const last = Math.max(-1, ...steps);
    if (last + 1 !== steps.size) return spoken`a value at each of ${last + 1} steps, got ${steps.size}`;
    earned += steps.size;
    tracks++;
  }
  if (earned !== rewards.length) return spoken`${earned} rewards, got ${rewards.length}`;
  const kept = Math.min(stored, size);
  return tracks === kept ? null : spoken`${kept} dialogues, got ${tracks}`;
}

/** The newest dialogues, round by round, in packed arrays. */
export const replaySchema = v.object({
  /** The number of dialogues that were stored so far, including those that have been overwritten. */
  stored: whole,
  /**
   * The integers of all dialogues, one after the other. A dialogue consists of the number of tokens, the tokens, the
   * number of rounds, and the rounds. A round consists of the column of its state, the number of its messages, and the
   * messages. A message consists of its agent, its turn, and its first and last column.
   */
  facts: packedFacts,
  /** The team's reward in each round. */
  rewards: doubles,
});
export type ReplayState = v.InferOutput<typeof replaySchema>;

/** The limits of a replay. */
export interface ReplayLimits {
  /** Maximum number of dialogues. */
  size: number;
  agents: number;
}

/** Checks packed dialogues. Returns the first error, as the expected and the actual value, or null if there is none. */
export function replayFault({ stored, facts, rewards }: ReplayState, { size, agents }: ReplayLimits): string | null {
  let [at, trajectories, rounds] = [0, 0, 0];
  const next = () => facts[at++] ?? Number.NaN;
  while (at < facts.length) {
    const length = next();
    at += length;
    const count = next();
    for (let round = 0; round < count; round++, rounds++) {
      const [stateAt, messages] = [next(), next()];
      if (stateAt >= length) return spoken`a state column below ${length}, got ${stateAt}`;
      for (let message = 0; message < messages; message++) {
        const [agent, , from, to] = [next(), next(), next(), next()];
        if (agent >= agents) return spoken`agent numbers below ${agents}, got ${agent}`;
        if (from > to || to > length) return spoken`messages within ${length} tokens, got columns ${from} to ${to}`;
      }
    }
    // Reading beyond the end of the array gives NaN, which ends the loops over rounds and messages.
    if (at > facts.length) return spoken`at least ${at} numbers, got ${facts.length}`;
    trajectories++;
  }
  if (rounds !== rewards.length) return spoken`${rounds} rewards, got ${rewards.length}`;
  if (!rewards.every(Number.isFinite)) return spoken`finite rewards`;
  const kept = Math.min(stored, size);
  return trajectories === kept ? null : spoken`${kept} dialogues, got ${trajectories}`;
}
