// The types of the turn loop's inputs: problems, the policies of the agents, and other inputs such as random numbers
// and scores of answers.
import { ShapeError } from '../base/errors.ts';
import { addressOf, type Stream } from '../base/random.ts';
import type { Policy } from '../records/policy.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import type { Answer, World } from '../tasks/world.ts';
import type { RolloutSettings } from './settings.ts';
import type { ViewTokens } from './view.ts';

/**
 * The part of an address that is the same for all random numbers of a rollout: the seed, the stream and the iteration.
 */
interface DrawLine {
  seed: number;
  stream: Stream;
  iteration: number;
}

/**
 * Numbers of turns per trajectory and of random numbers per turn. Turns within `usual` have addresses in the ordinary
 * stream; `most` is the limit for all dialogues.
 */
const usual = { turns: 32, draws: 128 };
const most = { turns: 256, draws: 1024 };
/**
 * Turns beyond `usual` have addresses in additional streams, each of which is used by this many rows (`rowsOfLine`).
 * The numbers of these streams start at `mostStreams`, which is above the numbers of all other streams.
 */
const [rowsOfLine, mostStreams] = [2 ** 14, 256];

/**
 * The address (base/random.ts) of the first random number of a turn. No two turns use the same random number. Turns
 * within `usual` have the same addresses as in earlier versions, so that earlier runs can be repeated. Longer turns,
 * and turns after the 32nd, use additional streams. Throws ShapeError for a turn beyond the limits.
 */
export function turnAddress({ seed, stream, iteration }: DrawLine, row: number, turn: number, window: number): number {
  if (turn < usual.turns && window <= usual.draws)
    return addressOf(seed, stream, iteration, (row * usual.turns + turn) * usual.draws);
  if (turn >= most.turns || window > most.draws)
    throw new ShapeError(
      `draws: expected at most ${most.turns} turns of ${most.draws} tokens, got turn ${turn + 1} with ${window} tokens; allow fewer rounds or shorter turns.`,
    );
  const line = stream + mostStreams * (1 + Math.floor(row / rowsOfLine));
  return addressOf(seed, line, iteration, ((row % rowsOfLine) * most.turns + turn) * most.draws);
}

/** A turn that has just been sampled, and its dialogue. */
export interface SaidTurn {
  trajectory: Trajectory;
  turn: Turn;
}

/** An answer with its score and, if there is a verifier, the verifier's probability that it is right. */
export interface JudgedAnswer extends Answer {
  /** The probability, according to a verifier, that the answer is right, in [0, 1]. */
  belief?: number;
}

/**
 * The messages that one agent of a set has just sampled in all dialogues, with the world's answers. Other agents have
 * not received these messages yet.
 */
export interface JustSaid {
  /** The set. */
  agents: readonly number[];
  round: number;
  trajectories: readonly Trajectory[];
  /** For each dialogue, whether it ends with this round. */
  isEnding: readonly boolean[];
  /** The agent's turns by row; null for a dialogue that is over. `settle` may replace a turn with another one. */
  turns: (Turn | null)[];
  /** The turns of the other agents of the set that come before this agent, in order. */
  before: readonly (Turn | null)[][];
  /** Makes the agent continue in row b as if it had sampled the message of row `from[b]` in row b. */
  takeRows: (from: readonly number[]) => void;
}

/** A turn that is given before the dialogue is run, because it was sampled earlier, edited, or typed by a visitor. */
export type GivenTurn = Pick<Turn, 'agent' | 'tokens' | 'logprobs' | 'text' | 'isTruncated' | 'isFinish' | 'heardAs'>;

export interface RolloutRequest {
  problems: readonly Problem[];
  /** Group of each problem. */
  groups: readonly number[];
  protocol: Protocol;
  settings: RolloutSettings;
  /** By agent. */
  policies: readonly Policy[];
  tokens: ViewTokens;
  /** The world that answers messages; if absent, agents receive only messages of other agents. */
  world?: Pick<World, 'open' | 'react'>;
  /** The token ids of the prompt that an agent sees. */
  prompt: (problem: Problem, agent: number) => number[];
  /** The text of the tokens that an agent has sampled. */
  decode: (ids: readonly number[], agent: number) => string;
  /**
   * The address in base/random.ts where the random numbers of a turn of at most `window` tokens begin (`turnAddress`).
   */
  address: (row: number, turn: number, window: number) => number;
  /**
   * Returns the texts and the scores of answers. Called only if the protocol gives feedback, ends dialogues when agents
   * agree, or chooses the team's answer by the verifier's scores.
   */
  judge: (said: readonly SaidTurn[]) => Promise<readonly JudgedAnswer[]>;
  /**
   * The number of adjacent rows that belong to one dialogue; 1 if absent. If messages are shuffled, all these rows
   * receive the same messages from other dialogues.
   */
  lanes?: number;
  /**
   * Returns a random number in [0, 1). The number determines whether a turn is masked for a listener. If the listener
   * is the speaker itself, the number determines which message of another dialogue the others hear instead. Called only
   * if the protocol masks or shuffles messages.
   */
  maskDraw: (row: number, turn: number, listener: number) => number;
  /**
   * For each dialogue, its first turns in order, which are treated as if they had just been sampled. Later turns use
   * the same random numbers as if all turns were sampled. The world's answers to the given turns are requested again.
   * If absent, all turns are sampled.
   */
  given?: readonly (readonly GivenTurn[])[];
  /**
   * Whether a turn is hidden from the other agents. A hidden turn stays in the contexts of the other agents, but is
   * excluded from their attention. If absent, no turn is hidden.
   */
  isHidden?: (turn: Turn, row: number) => boolean;
  /**
   * Called after each set of speakers with the dialogues so far. To pause the rollout, the function may return a
   * promise.
   */
  onTurn?: (trajectories: readonly Trajectory[]) => Promise<void>;
  /**
   * Called during a turn for the first dialogue; `soFar` returns the dialogue, including the text of the unfinished
   * turn. On the CPU engine, the function is called after each token. If the function returns a promise, the rollout
   * waits for the promise.
   */
  onWord?: ((soFar: () => Trajectory) => Promise<void> | void) | undefined;
  /**
   * Chooses the candidate from which a dialogue continues. Called for one agent at a time, before the other agents
   * receive the messages of a set.
   */
  settle?: (said: JustSaid) => Promise<void>;
}
