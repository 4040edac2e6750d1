// What lists of stored dialogues hold of each, and of each problem of an iteration, without the tokens: small enough for tens
// of thousands.
import type { FinishCode } from './trajectory.ts';

export interface DialogueRow {
  iteration: number;
  /** Within its iteration. */
  index: number;
  group: number;
  world: string;
  slice: string;
  reward: number;
  isRight: boolean;
  finishCode: FinishCode;
  /** A candidate that the dialogue did not go on from. */
  isBranch: boolean;
  /** Whether a turn filled its window without ending. */
  isTruncated: boolean;
  /** Tokens whose ratio was clipped; null where the dialogue was not inspected when it was learned from. */
  clipped: number | null;
  /** Of everybody. */
  tokens: number;
  shown: string;
  /** What was said, turn by turn. */
  said: string;
  answer: string | null;
  /** What the world found fault with, each once. */
  reasons: string;
}

/** One problem of an iteration with its rollouts, best first. */
export interface GroupSummary {
  group: number;
  world: string;
  shown: string;
  /** Of the dialogues that were held to their end. */
  ends: { isRight: boolean; finishCode: FinishCode; reward: number }[];
  meanReward: number;
  /** Unbiased deviation of the rewards; 0 of a lone one. */
  spread: number;
  /** All its advantages are 0; null where the rewards, which are all that is kept, do not tell. */
  isDead: boolean | null;
}
