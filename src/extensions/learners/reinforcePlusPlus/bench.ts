// The rows of REINFORCE++ in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'reinforcePlusPlusPublished', variant: 'as published', form: 'published' },
  { name: 'reinforcePlusPlus', variant: 'turn ratio', settings: { learning: { learner: 'reinforcePlusPlus' } } },
];
