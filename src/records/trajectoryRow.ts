// The rows of two lists: the list of all stored dialogues, and the list of the problems of an iteration. The rows
// contain no tokens, so tens of thousands of them fit into memory.
import type { Reason } from '../base/reason.ts';
import type { FinishCode } from './trajectory.ts';

export interface TrajectoryRow {
  iteration: number;
  /** The index of the dialogue within its iteration. */
  index: number;
  group: number;
  world: string;
  slice: string;
  reward: number;
  isRight: boolean;
  finishCode: FinishCode;
  /** Whether this is a branch, that is, a sampled candidate that was not chosen to continue the dialogue. */
  isBranch: boolean;
  /** Whether a turn reached its maximum length without a token that ends it. */
  isTruncated: boolean;
  /** The number of tokens whose ratio was clipped; null if the dialogue was not inspected during its iteration. */
  clipped: number | null;
  /** The number of tokens that all agents sampled. */
  tokens: number;
  shown: string;
  /** All messages, turn by turn. */
  said: string;
  answer: string | null;
  /** The reasons for lower scores, without duplicates. */
  reasons: readonly Reason[];
}

/** One problem of an iteration, and a summary of its rollouts. */
export interface GroupSummary {
  group: number;
  world: string;
  shown: string;
  /** The outcomes of the complete dialogues, without branches. */
  ends: { isRight: boolean; finishCode: FinishCode; reward: number }[];
  meanReward: number;
  /** The standard deviation of the rewards (with n − 1); 0 if there is only one reward. */
  spread: number;
  /** Whether all advantages are 0; null if the stored rewards do not determine this. */
  isDead: boolean | null;
}
