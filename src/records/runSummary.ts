// What a list of runs says of one: a small record beside the run, so that no list reads what the run has stored.
import type { RunId } from './ids.ts';
import type { Evaluation } from './metrics.ts';

export interface RunSummary {
  id: RunId;
  /** Grows with each run that begins or goes on: the run with the highest was written last, whatever the clock said. */
  order: number;
  /** The newest; null before the first. */
  evaluation: Evaluation | null;
  /** Of everything but the checkpoints. */
  bytes: number;
  /** By rising iteration. */
  checkpoints: { iteration: number; bytes: number }[];
}
