// The rows of OPO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'opoPublished', variant: 'as published', form: 'published' },
  { name: 'opo', variant: 'turn ratio', settings: { learning: { learner: 'opo' } } },
];
