// The rows of VDN in the comparison of learners (`npm run bench:learners`). The paper learns values of actions, and the
// use of its credit with policy gradient has not been published. `vdnAlone` uses only this credit. In the other rows
// the part of the return that the mixing critic does not predict is added.
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  {
    name: 'vdnResidual',
    variant: 'token ratio, and what the critic misses',
    form: 'ours',
    storedAs: 'vdnPublished',
  },
  {
    name: 'vdn',
    variant: 'what each message adds to a sum, and what that misses',
    settings: { learning: { learner: 'vdn', mixingResidual: 1 } },
  },
  {
    name: 'vdnAlone',
    variant: 'its credit alone, by policy gradient: what each message adds to a sum',
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
