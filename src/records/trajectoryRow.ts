// Rows for the lists of stored dialogues and of the problems of an iteration. They contain no tokens, so tens of
// thousands of them fit into memory.
import type { Reason } from '../base/reason.ts';
import type { FinishCode } from './trajectory.ts';

export interface TrajectoryRow {
  iteration: number;
  /** The index within the iteration. */
  index: number;
  group: number;
  world: string;
  slice: string;
  reward: number;
  isRight: boolean;
  finishCode: FinishCode;
  /** Whether this is a candidate from which the dialogue did not continue. */
  isBranch: boolean;
  /** Whether a turn filled its window without a terminator. */
  isTruncated: boolean;
  /** The number of tokens whose ratio was clipped; null if the dialogue was not inspected in its iteration. */
  clipped: number | null;
  /** Number of tokens of all agents. */
  tokens: number;
  shown: string;
  /** All messages, turn by turn. */
  said: string;
  answer: string | null;
  /** The world's objections, without duplicates. */
  reasons: readonly Reason[];
}

/** One problem of an iteration with its rollouts, best first. */
export interface GroupSummary {
  group: number;
  world: string;
  shown: string;
  /** The dialogues that were run to their end. */
  ends: { isRight: boolean; finishCode: FinishCode; reward: number }[];
  meanReward: number;
  /** Unbiased standard deviation of the rewards; 0 if there is only one reward. */
  spread: number;
  /**
   * Whether all advantages are 0; null if this cannot be determined from the rewards, which are the only stored values.
   */
  isDead: boolean | null;
}
