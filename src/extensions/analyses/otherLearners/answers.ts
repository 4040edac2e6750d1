// The advantages that every learner would compute for one group.
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { learnersBeside } from '../../../training/inspect/learnersBeside.ts';
import type { LookAnswers } from '../../../training/review/analysis.ts';

export const answers: Pick<LookAnswers, 'otherLearners'> = {
  otherLearners: {
    of: 'iteration',
    answer: ({ estimate }, { group }, { lacking }) => {
      if (!estimate) throw new ConfigError(spoken`learners: they cannot be compared on this iteration: ${lacking}.`);
      return Promise.resolve(learnersBeside(estimate.collected, group));
    },
  },
};
