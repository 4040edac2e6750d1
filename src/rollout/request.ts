// The inputs of the turn loop: problems, speakers with their policies, and other inputs such as random numbers and
// scores of answers.
import { ShapeError } from '../base/errors.ts';
import { addressOf, type Stream } from '../base/random.ts';
import type { Policy } from '../records/policy.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import type { Answer, World } from '../tasks/world.ts';
import type { RolloutSettings } from './settings.ts';
import type { ViewTokens } from './view.ts';

/** The part of an address that the draws of all dialogues have in common. It is one stream of one iteration. */
interface DrawLine {
  seed: number;
  stream: Stream;
  iteration: number;
}

/**
 * Turns per trajectory and draws per turn. `usual` is the layout for usual dialogues; `most` is the limit for all
 * dialogues.
 */
const usual = { turns: 32, draws: 128 };
const most = { turns: 256, draws: 1024 };
/**
 * In the longer layout: the number of rows that share one line of addresses, and the maximum number of streams. Each
 * line is a separate stream.
 */
const [rowsOfLine, mostStreams] = [2 ** 14, 256];

/**
 * The address in base/random.ts where the draws of a turn begin; no two turns share a draw. Turns of the usual size
 * keep their original addresses, so that earlier runs draw the same numbers again. Longer turns, and those after the
 * 32nd, have separate lines. Throws ShapeError for a turn that has no address.
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

/** A turn that has just been said, and its dialogue. */
export interface SaidTurn {
  trajectory: Trajectory;
  turn: Turn;
}

/** An answer with its score and the verifier's belief. */
export interface JudgedAnswer extends Answer {
  /** The probability, according to a verifier, that the answer is right, in [0, 1]. */
  belief?: number;
}

/**
 * The messages that one set of agents has said in all dialogues, with the world's answers, before other agents hear
 * them.
 */
export interface JustSaid {
  /** The set. */
  agents: readonly number[];
  round: number;
  trajectories: readonly Trajectory[];
  /** For each dialogue, whether it ends with this round. */
  isEnding: readonly boolean[];
  /** The turns by row; null for a dialogue that is over. The called function may replace a turn with another one. */
  turns: (Turn | null)[];
  /** The turns of the agents that come before this one in the set, in order. */
  before: readonly (Turn | null)[][];
  /** Makes row b of the agent continue as if the agent had said the message of row `from[b]`. */
  takeRows: (from: readonly number[]) => void;
}

/** A turn that exists before a dialogue begins, because it was said earlier, edited, or typed by a visitor. */
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
  /** The world that answers messages; if absent, the agents hear only each other. */
  world?: Pick<World, 'open' | 'react'>;
  /** Token ids of an agent's view of a problem. */
  prompt: (problem: Problem, agent: number) => number[];
  /** The text of what an agent has said. */
  decode: (ids: readonly number[], agent: number) => string;
  /**
   * The address in base/random.ts where the random numbers of a turn of at most `window` tokens begin (`turnAddress`).
   */
  address: (row: number, turn: number, window: number) => number;
  /**
   * Returns texts and scores of answers. It is called if the protocol gives feedback, stops on agreement, or uses the
   * verifier's scores to choose the answer.
   */
  judge: (said: readonly SaidTurn[]) => Promise<readonly JudgedAnswer[]>;
  /**
   * The number of adjacent rows that belong to one dialogue; 1 if absent. These rows hear the same messages of other
   * dialogues.
   */
  lanes?: number;
  /**
   * The number in [0, 1) that decides whether a turn is masked for a listener. If the listener is the speaker itself,
   * the number decides which message of another dialogue the others hear instead. The number is requested only if the
   * protocol masks or shuffles messages.
   */
  maskDraw: (row: number, turn: number, listener: number) => number;
  /**
   * For each dialogue, its first turns in order, which are heard as if they had just been said. Later turns are sampled
   * with the draws that they would have had anyway. The world's answers to these turns are requested again. If absent,
   * all turns are sampled.
   */
  given?: readonly (readonly GivenTurn[])[];
  /**
   * Whether a turn is hidden from the other agents. A hidden turn is masked in attention, and positions are kept. If
   * absent, all turns are heard.
   */
  isHidden?: (turn: Turn, row: number) => boolean;
  /** Called after each set of speakers with the dialogues so far. It may return a promise to pause the rollout. */
  onTurn?: (trajectories: readonly Trajectory[]) => Promise<void>;
  /**
   * Called during a turn for the first dialogue; `soFar` returns the dialogue with the text of the unfinished turn so
   * far. It is called often if reading the text costs nothing; a returned promise is awaited.
   */
  onWord?: ((soFar: () => Trajectory) => Promise<void> | void) | undefined;
  /**
   * Chooses the candidate from which a dialogue continues. It is called for one agent at a time, before the other
   * agents hear the messages of a set.
   */
  settle?: (said: JustSaid) => Promise<void>;
}
