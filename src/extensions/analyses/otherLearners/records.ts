// The question about other learners, and its answer.
import type { BesideLearner } from '../../../records/besides.ts';

declare module '../../../records/looks.ts' {
  interface Looks {
    /** A group under every learner. Throws ConfigError if its rewards can no longer be determined. */
    otherLearners: { at: GroupAt; answer: BesideLearner[] };
  }
}
