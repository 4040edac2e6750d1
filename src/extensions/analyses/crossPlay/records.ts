// The parts of the result, each of which is one measured pair.
import type { Evaluation } from '../../../records/metrics.ts';

/**
 * The result of evaluating the first agent of checkpoint `sender` with the other agents of checkpoint `receiver`. Both
 * are indices into the list of checkpoints.
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
