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
    name: 'dpoRobust',
    variant: 'robust DPO: one pair in ten is assumed to be swapped',
    settings: { learning: { learner: 'dpo', preferenceKind: 'robust', preferenceSmoothing: 0.1 } },
  },
  {
    name: 'simpo',
    variant: 'SimPO: mean log-probability per token, without a reference, with a margin',
    settings: { learning: { learner: 'dpo', preferenceKind: 'simpo', preferenceBeta: 2, preferenceMargin: 1 } },
  },
  {
    name: 'dpoSelfPlay',
    variant: 'SPIN: demonstrations compared with its own earlier messages',
    settings: { learning: { learner: 'dpo', pairsFrom: 'demonstrations' }, kl: { refreshEvery: 1 } },
  },
];
