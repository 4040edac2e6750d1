// The rows of the learner for pass@k in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'passAtKGradientPublished', variant: 'as published', form: 'published' },
  { name: 'passAtKGradient', variant: 'turn ratio', settings: { learning: { learner: 'passAtKGradient' } } },
];
