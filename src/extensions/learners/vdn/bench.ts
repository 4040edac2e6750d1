// The rows of VDN in the comparison of learners (`npm run bench:learners`). The method of the paper learns the values
// of actions; the use of its credit assignment with policy gradients has not been published. `vdnAlone` uses only this
// credit. In the other rows, the part of the return that the critic does not predict is added to the credit.
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  {
    name: 'vdnResidual',
    variant: 'token ratio, credit of the critic and its residual',
    form: 'ours',
  },
  {
    name: 'vdn',
    variant: 'turn ratio, credit of the critic and its residual',
    settings: { learning: { learner: 'vdn', mixingResidual: 1 } },
  },
  {
    name: 'vdnAlone',
    variant: 'only the credit of the critic, by policy gradient',
    form: 'nearest',
    settings: {
      learning: {
        learner: 'vdn',
        ratioLevel: 'token',
        aggregation: 'token',
        dualClip: 0,
        mixingResidual: 0,
        teamRewardIterations: 0,
      },
    },
  },
];
