// The rows of DPO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  {
    name: 'dpo',
    variant: 'as published, with pairs from the latest rollouts',
    form: 'published',
    settings: { learning: { learner: 'dpo' } },
  },
  {
    name: 'dpoSelfPlay',
    variant: 'SPIN: demonstrations compared with its own earlier messages',
    settings: { learning: { learner: 'dpo', pairsFrom: 'demonstrations' }, kl: { refreshEvery: 1 } },
  },
];
