// The types of the code that computes the answers of an analysis. This code is in
// `extensions/analyses/NAME/answers.ts`, each under the name of its question (`records/looks.ts`).
import type { LookKind, Looks, SeatLookKind, SeatLooks } from '../../records/looks.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import type { Seat } from '../run/seats.ts';

/** The facts that are known about the iteration to which a question refers. */
export interface AskedAbout {
  /** The iteration after which the weights were taken; null if it is the inspected iteration. */
  weightsAfter: number | null;
  /** A text with the reason why the advantages are unknown; empty if they are known. */
  lacking: string;
}

/** Answers a question about the dialogues of one iteration. */
export interface IterationAnswer<K extends LookKind> {
  of: 'iteration';
  /**
   * The index of the only dialogue that the answer needs. If absent, the answer needs all dialogues of the iteration.
   */
  only?: (at: Looks[K]['at']) => number;
  /** Computes the answer. Throws ConfigError if the question cannot be answered. */
  answer: (inspectable: Inspectable, at: Looks[K]['at'], about: AskedAbout) => Promise<Looks[K]['answer']>;
}

/** Answers a question about the weights of one checkpoint. */
export interface CheckpointAnswer<K extends LookKind> {
  of: 'checkpoint';
  /** Computes the answer. Throws ConfigError if the question cannot be answered. */
  answer: (checkpoint: Checkpoint, at: Looks[K]['at']) => Promise<Looks[K]['answer']>;
}

/**
 * Answers a question about several checkpoints. The parts of the answer are reported one at a time, as soon as each is
 * computed.
 */
export interface SeatAnswer<K extends SeatLookKind> {
  of: 'seats';
  /**
   * Computes the answer and calls `tell` with each part. Resolves after the last call has finished. Throws ConfigError
   * if the question cannot be answered.
   */
  answer: (seats: readonly Seat[], tell: (part: SeatLooks[K]) => void | Promise<void>) => Promise<void>;
}

/** The code that answers each question. A mapped type is used, so that each question has the type of its own answer. */
export type LookAnswers = { [K in LookKind]: IterationAnswer<K> | CheckpointAnswer<K> };
export type SeatAnswers = { [K in SeatLookKind]: SeatAnswer<K> };
