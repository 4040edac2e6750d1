// Types of results about messages and learners that more than one analysis uses, or that both an analysis and the
// training loop use. The results are plain data and are not stored.
import type { LearnerName } from '../config/learners/registry.ts';

/**
 * The advantages [rollout][turn][token] that the loss of a learner would use for a group, or the reason why there are
 * none.
 */
export type BesideLearner =
  | { learner: LearnerName; advantages: number[][][]; lacking?: undefined }
  | { learner: LearnerName; advantages?: undefined; lacking: string };

/**
 * The value of a message in units of reward, V(c + m) − V(c), and the standard error of this value over the sampled
 * continuations.
 */
export interface MessageTruth {
  worth: number;
  error: number;
}
