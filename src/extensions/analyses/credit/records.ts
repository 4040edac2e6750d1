// The request for the credit of messages, and its result.
import type { LearnerName } from '../../../config/learners/registry.ts';
import type { MessageTruth } from '../../../records/besides.ts';

/** The true values of the messages of a group, and the credit that each learner would give to them, [rollout][turn]. */
export interface GroupCredit {
  /** The number of continuations of the dialogue after each message. */
  draws: number;
  truth: MessageTruth[][];
  paid: (
    | {
        learner: LearnerName;
        /** For each message, the mean advantage of its tokens. */
        paid: number[][];
        /** Spearman's ρ between credit and true value; null if either is the same for all messages. */
        fidelity: number | null;
        lacking?: undefined;
      }
    | { learner: LearnerName; paid?: undefined; lacking: string }
  )[];
}

declare module '../../../records/looks.ts' {
  interface Looks {
    /**
     * The values of the group's messages with the current weights, and the credit that learners would give to them.
     * Throws ConfigError.
     */
    credit: { at: GroupAt & { draws: number }; answer: GroupCredit };
  }
}
