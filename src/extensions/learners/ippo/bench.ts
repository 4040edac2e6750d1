// The rows of IPPO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'ippoPublished', variant: 'as published', form: 'published' },
  {
    name: 'ippo',
    variant: 'own rewards, turn ratio',
    settings: {
      agents: { parameters: 'separate' },
      reward: { across: 'own', over: 'dense' },
      houseRule: { legalOperation: 0.25, rewrite: 0.5 },
      learning: { learner: 'ippo', critic: 'network' },
    },
  },
];
