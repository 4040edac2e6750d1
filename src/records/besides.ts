// Results about messages and learners that several analyses, or an analysis and the training loop, compute. They are
// plain, cloneable data and are not stored.
import type { LearnerName } from '../config/learners/registry.ts';

/**
 * The result of a learner for a group: the advantages [rollout][turn][token] that its loss would use, or the reason why
 * there are none.
 */
export type BesideLearner =
  | { learner: LearnerName; advantages: number[][][]; lacking?: undefined }
  | { learner: LearnerName; advantages?: undefined; lacking: string };

/** The value of a message in units of reward, V(c + m) − V(c), and its standard error over the continuations. */
export interface MessageTruth {
  worth: number;
  error: number;
}
