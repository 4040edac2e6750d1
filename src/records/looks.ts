// Questions that the page may ask the trainer about messages and learning. The answers are computed when the page asks,
// and are not stored. Each analysis adds its own questions in `extensions/analyses/NAME/records.ts`.
import type { RunId } from './ids.ts';
import type { GroupInspection } from './inspection.ts';
import type { Trajectory } from './trajectory.ts';

/** One problem of one iteration. */
export interface GroupAt {
  run: RunId;
  iteration: number;
  group: number;
}

/** One sampled token. */
export interface TokenAt {
  run: RunId;
  iteration: number;
  /** Index of the trajectory within its iteration. */
  trajectory: number;
  turn: number;
  token: number;
}

/** A held-out problem, and the checkpoint whose agents solve it. */
export interface HeldOutAt {
  run: RunId;
  /** Iteration of the checkpoint. */
  iteration: number;
  /** Index of the held-out problem, counted from 0. */
  problem: number;
}

/**
 * All questions by name, each with the types of the question and of the answer. The names of an analysis' questions
 * begin with the name of the analysis: `NAME`, `NAME.checkpoint`. Questions about the latest iteration are answered
 * from memory. For any other iteration, the stored dialogues and the weights of the nearest checkpoint are used.
 */
export interface Looks {
  /** One group with the numbers of every token. */
  group: { at: GroupAt; answer: GroupInspection };
  /** The dialogue about a held-out problem with the weights of one checkpoint. */
  heldOut: { at: HeldOutAt; answer: Trajectory };
  /** The indices of the problems that need no explanation, among the first `count` held-out problems. */
  plainProblems: { at: Omit<HeldOutAt, 'problem'> & { count: number }; answer: number[] };
}
export type LookKind = keyof Looks;

/**
 * Questions about several stored checkpoints at once, by the name of the analysis. Each answer arrives in parts, whose
 * type is given here.
 */
export interface SeatLooks {}
export type SeatLookKind = keyof SeatLooks;
