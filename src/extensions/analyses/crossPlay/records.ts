// The parts of the result, each of which is one measured pair.
import type { Evaluation } from '../../../records/metrics.ts';

/**
 * The first agent of checkpoint `sender` evaluated with the other agents of checkpoint `receiver`; both are indices
 * into the list of checkpoints.
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
