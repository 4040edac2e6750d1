// Computes the advantages that every learner would give to the tokens of one group.
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { BesideLearner } from '../../../records/besides.ts';
import { learnersBeside } from '../../../training/inspect/learnersBeside.ts';
import type { LookAnswers } from '../../../training/review/analysis.ts';

export const answers: Pick<LookAnswers, 'otherLearners'> = {
  otherLearners: {
    of: 'iteration',
    answer: ({ estimate }, { group }, { lacking }) => {
      if (!estimate) throw new ConfigError(spoken`learners cannot be compared on this iteration: ${lacking}.`);
      return Promise.resolve(learnersBeside(estimate.collected, group));
    },
  },
};

declare module '../../../records/looks.ts' {
  interface Looks {
    /**
     * The advantages of a group with every learner. Throws ConfigError if the rewards of the group can no longer be
     * determined.
     */
    otherLearners: { at: GroupAt; answer: BesideLearner[] };
  }
}
