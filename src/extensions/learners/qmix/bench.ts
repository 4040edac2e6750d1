// The rows of QMIX in the comparison of learners (`npm run bench:learners`). The paper learns values of actions, and
// the use of its credit with policy gradient has not been published. `qmixAlone` uses only this credit. In the other
// rows the part of the return that the mixing critic does not predict is added.
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  {
    name: 'qmixResidual',
    variant: 'token ratio, and what the critic misses',
    form: 'ours',
    storedAs: 'qmixPublished',
  },
  {
    name: 'qmix',
    variant: 'what each message adds to a mix, and what that misses',
    settings: { learning: { learner: 'qmix', mixingResidual: 1 } },
  },
  {
    name: 'qmixAlone',
    variant: 'its credit alone, by policy gradient: what each message adds to a mix',
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
