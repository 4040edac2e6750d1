// Questions that the page may ask the trainer about messages and learning. The answers are computed on demand and not
// stored. Each analysis adds its own questions in `extensions/analyses/NAME/records.ts`.
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

/** One held-out problem under one checkpoint. */
export interface HeldOutAt {
  run: RunId;
  /** Iteration of the checkpoint. */
  iteration: number;
  /** Index of the held-out problem, counted from 0. */
  problem: number;
}

/**
 * Each question by its name; those of an analysis begin with its name: `NAME`, `NAME.checkpoint`. The latest iteration
 * is inspected from memory. Any other iteration needs its stored dialogues, and is inspected with the weights of the
 * nearest checkpoint.
 */
export interface Looks {
  /** One group with the numbers of every token. */
  group: { at: GroupAt; answer: GroupInspection };
  /** The dialogue on a held-out problem with the weights of one checkpoint. */
  heldOut: { at: HeldOutAt; answer: Trajectory };
}
export type LookKind = keyof Looks;

/**
 * Questions about several stored checkpoints together, each under the name of its analysis. The type is that of the
 * parts of the answer.
 */
export interface SeatLooks {}
export type SeatLookKind = keyof SeatLooks;
