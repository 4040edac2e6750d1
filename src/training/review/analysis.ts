// The contract of the code that computes the answers of an analysis. The answers are in
// `extensions/analyses/NAME/answers.ts`, each under the name of its question (`records/looks.ts`).
import type { LookKind, Looks, SeatLookKind, SeatLooks } from '../../records/looks.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import type { Seat } from '../run/seats.ts';

/** The state of an iteration about which a question is asked. */
export interface AskedAbout {
  /** The iteration after which the weights were taken; null if it is the inspected iteration. */
  weightsAfter: number | null;
  /** The reason why the advantages are unknown, in words. It is empty if they are known. */
  lacking: string;
}

/** Answers a question about the dialogues of one iteration. */
export interface IterationAnswer<K extends LookKind> {
  of: 'iteration';
  /**
   * The index of the only dialogue that the answer needs. If absent, the answer needs all dialogues of the iteration.
   */
  only?: (at: Looks[K]['at']) => number;
  /** Throws ConfigError. */
  answer: (inspectable: Inspectable, at: Looks[K]['at'], about: AskedAbout) => Promise<Looks[K]['answer']>;
}

/** Answers a question about the weights of one checkpoint. */
export interface CheckpointAnswer<K extends LookKind> {
  of: 'checkpoint';
  /** Throws ConfigError. */
  answer: (checkpoint: Checkpoint, at: Looks[K]['at']) => Promise<Looks[K]['answer']>;
}

/** Answers a question about several checkpoints together, part by part. */
export interface SeatAnswer<K extends SeatLookKind> {
  of: 'seats';
  /** Resolves after the last part has been handled. Throws ConfigError. */
  answer: (seats: readonly Seat[], tell: (part: SeatLooks[K]) => void | Promise<void>) => Promise<void>;
}

/** Every answer by its question. This is a mapped type, so that looking up a question gives the answer's own type. */
export type LookAnswers = { [K in LookKind]: IterationAnswer<K> | CheckpointAnswer<K> };
export type SeatAnswers = { [K in SeatLookKind]: SeatAnswer<K> };
