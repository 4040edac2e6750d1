// Rows of the lists of stored dialogues, and of the problems of an iteration, without tokens: small enough for tens of
// thousands.
import type { FinishCode } from './trajectory.ts';

export interface TrajectoryRow {
  iteration: number;
  /** Within its iteration. */
  index: number;
  group: number;
  world: string;
  slice: string;
  reward: number;
  isRight: boolean;
  finishCode: FinishCode;
  /** A candidate that the dialogue did not continue from. */
  isBranch: boolean;
  /** Whether a turn filled its window without a terminator. */
  isTruncated: boolean;
  /** Tokens whose ratio was clipped; null if the dialogue was not inspected in its iteration. */
  clipped: number | null;
  /** Number of tokens of all agents. */
  tokens: number;
  shown: string;
  /** All messages, turn by turn. */
  said: string;
  answer: string | null;
  /** The world's objections, without duplicates. */
  reasons: string;
}

/** One problem of an iteration with its rollouts, best first. */
export interface GroupSummary {
  group: number;
  world: string;
  shown: string;
  /** The dialogues that were run to their end. */
  ends: { isRight: boolean; finishCode: FinishCode; reward: number }[];
  meanReward: number;
  /** Unbiased standard deviation of the rewards; 0 for a single one. */
  spread: number;
  /** All its advantages are 0; null if this cannot be determined from the rewards, which are the only stored values. */
  isDead: boolean | null;
}
