// The rows of QMIX in the comparison of learners (`npm run bench:learners`). The method of the paper learns the values
// of actions; the use of its credit assignment with policy gradients has not been published. `qmixAlone` uses only this
// credit. In the other rows, the part of the return that the critic does not predict is added to the credit.
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  {
    name: 'qmixResidual',
    variant: 'token ratio, credit of the critic and its residual',
    form: 'ours',
  },
  {
    name: 'qmix',
    variant: 'turn ratio, credit of the critic and its residual',
    settings: { learning: { learner: 'qmix', mixingResidual: 1 } },
  },
  {
    name: 'qmixAlone',
    variant: 'only the credit of the critic, by policy gradient',
    form: 'nearest',
    settings: {
      learning: {
        learner: 'qmix',
        ratioLevel: 'token',
        aggregation: 'token',
        dualClip: 0,
        mixingResidual: 0,
        teamRewardIterations: 0,
      },
    },
  },
];
