// The rows of HAPPO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'happoPublished', variant: 'as published', form: 'published' },
  {
    name: 'happo',
    variant: 'turn ratio',
    settings: { agents: { parameters: 'separate' }, learning: { learner: 'happo' } },
  },
];
