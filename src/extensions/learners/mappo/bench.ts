// The rows of MAPPO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'mappoPublished', variant: 'as published', form: 'published' },
  {
    name: 'mappo',
    variant: 'turn ratio',
    settings: { learning: { learner: 'mappo' } },
    // In runs with the seeds 11, 12 and 13, the mean explained variance was 0.34, 0.21 and 0.27. The minimum required
    // here is about half of the smallest of these means.
    leastExplained: 0.1,
  },
];
