// The request for the credit of messages, and its result.
import type { LearnerName } from '../../../config/learners/registry.ts';
import type { MessageTruth } from '../../../records/besides.ts';

/**
 * The messages of a group, [rollout][turn]: their true values, and the credit that each learner would have given them.
 */
export interface GroupCredit {
  /** Number of continuations of each context. */
  draws: number;
  truth: MessageTruth[][];
  paid: (
    | {
        learner: LearnerName;
        /** Mean advantage of a message’s tokens. */
        paid: number[][];
        /** Spearman’s ρ between credit and value; null if one of them is constant. */
        fidelity: number | null;
        lacking?: undefined;
      }
    | { learner: LearnerName; paid?: undefined; lacking: string }
  )[];
}

declare module '../../../records/looks.ts' {
  interface Looks {
    /**
     * The value of the group's messages under the current weights, and the credit that learners would give them. Throws
     * ConfigError.
     */
    credit: { at: GroupAt & { draws: number }; answer: GroupCredit };
  }
}
