// The inputs of the turn loop: problems, speakers with their policies, and everything that comes from outside, such as
// random numbers and scores of answers.
import { ShapeError } from '../base/errors.ts';
import { addressOf, type Stream } from '../base/random.ts';
import type { Policy } from '../records/policy.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import type { Answer, World } from '../tasks/world.ts';
import type { RolloutSettings } from './settings.ts';
import type { ViewTokens } from './view.ts';

/** Address of dialogues' draws: one stream of one iteration. */
interface DrawLine {
  seed: number;
  stream: Stream;
  iteration: number;
}

/** Turns per trajectory and draws per turn: the layout for usual dialogues, and the limits for all dialogues. */
const usual = { turns: 32, draws: 128 };
const most = { turns: 256, draws: 1024 };
/**
 * Rows of the longer layout per line of addresses, and the maximum number of streams: each line is a separate stream.
 */
const [rowsOfLine, mostStreams] = [2 ** 14, 256];

/**
 * The address in base/random.ts where the draws of a turn begin: no two turns share any. Turns of the usual size keep
 * their original addresses, so that an earlier run draws the same numbers again; longer turns, and those after the
 * 32nd, have separate lines. Throws ShapeError for a turn that has no address.
 */
export function turnAddress({ seed, stream, iteration }: DrawLine, row: number, turn: number, window: number): number {
  if (turn < usual.turns && window <= usual.draws)
    return addressOf(seed, stream, iteration, (row * usual.turns + turn) * usual.draws);
  if (turn >= most.turns || window > most.draws)
    throw new ShapeError(
      `draws: expected ${most.turns} turns of ${most.draws} tokens at most, got turn ${turn + 1} of ${window}; allow fewer rounds or shorter turns.`,
    );
  const line = stream + mostStreams * (1 + Math.floor(row / rowsOfLine));
  return addressOf(seed, line, iteration, ((row % rowsOfLine) * most.turns + turn) * most.draws);
}

/** A turn that has just been said, and the dialogue it belongs to. */
export interface SaidTurn {
  trajectory: Trajectory;
  turn: Turn;
}

/** An answer with its score and the verifier's belief. */
export interface JudgedAnswer extends Answer {
  /** The probability, according to a verifier, that the answer is right, in [0, 1]. */
  belief?: number;
}

/** The messages of one set of agents in all dialogues, with the world's answers, before other agents hear them. */
export interface JustSaid {
  /** The set. */
  agents: readonly number[];
  round: number;
  trajectories: readonly Trajectory[];
  /** Dialogues that end with this round. */
  isEnding: readonly boolean[];
  /** By row; null if a dialogue is over. A turn may be replaced by another. */
  turns: (Turn | null)[];
  /** The same for the agents before it in the set, in order. */
  before: readonly (Turn | null)[][];
  /** Lets row b of the agent continue as if it had said the message of row `from[b]`. */
  takeRows: (from: readonly number[]) => void;
}

/** A turn that exists before a dialogue begins: said earlier, edited, or typed by a visitor. */
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
  /** The world that answers messages; absent: the agents hear only each other. */
  world?: Pick<World, 'open' | 'react'>;
  /** Token ids of an agent's view of a problem. */
  prompt: (problem: Problem, agent: number) => number[];
  /** The text of what an agent has said. */
  decode: (ids: readonly number[], agent: number) => string;
  /**
   * The address in base/random.ts where the random numbers of a turn of at most `window` tokens begin (`turnAddress`).
   */
  address: (row: number, turn: number, window: number) => number;
  /** Texts and scores of answers; called if the protocol gives feedback, stops on agreement or decides. */
  judge: (said: readonly SaidTurn[]) => Promise<readonly JudgedAnswer[]>;
  /** Adjacent rows of one dialogue; absent: 1. They hear the same messages of other dialogues. */
  lanes?: number;
  /**
   * The number in [0, 1) that decides whether a turn is masked for a listener, and, for its speaker, which message of
   * another dialogue is heard instead; requested if the protocol masks or shuffles.
   */
  maskDraw: (row: number, turn: number, listener: number) => number;
  /**
   * By dialogue: its first turns in order, heard as if they had just been said; later turns are sampled from the draws
   * that they would have had. The world's answers to them are requested again. Absent: all is sampled.
   */
  given?: readonly (readonly GivenTurn[])[];
  /** Whether the others do not hear a turn (attention-masked, positions kept). Absent: all is heard. */
  isHidden?: (turn: Turn, row: number) => boolean;
  /** Called after each set of speakers with the dialogues so far: it may wait (pause). */
  onTurn?: (trajectories: readonly Trajectory[]) => Promise<void>;
  /**
   * During a turn, for the first dialogue: the text so far of the unfinished turn. Called often if reading it costs
   * nothing; a promise is awaited.
   */
  onWord?: ((soFar: () => Trajectory) => Promise<void> | void) | undefined;
  /**
   * Called for one agent at a time, before the other agents hear a set's messages: chooses among several candidates of
   * one dialogue the one from which it continues.
   */
  settle?: (said: JustSaid) => Promise<void>;
}
