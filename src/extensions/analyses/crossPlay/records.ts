// A part of the result: one measured pair of checkpoints.
import type { Evaluation } from '../../../records/metrics.ts';

/**
 * The evaluation of a team of the first agent from checkpoint `sender` and the other agents from checkpoint `receiver`.
 * Both numbers are indices in the list of checkpoints.
 */
export interface CrossCell {
  sender: number;
  receiver: number;
  evaluation: Evaluation;
}

declare module '../../../records/looks.ts' {
  interface SeatLooks {
    crossPlay: CrossCell;
  }
}
