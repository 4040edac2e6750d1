// The rows of RLOO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'rlooPublished', variant: 'as published', form: 'published' },
  { name: 'rloo', variant: 'turn ratio', settings: { learning: { learner: 'rloo' } } },
];
