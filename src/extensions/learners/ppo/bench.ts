// The rows of PPO in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';

export const rows: readonly StatedRow[] = [
  { name: 'ppoPublished', variant: 'as published', form: 'published' },
  {
    name: 'ppo',
    variant: 'turn ratio, eight rollouts per problem',
    settings: { learning: { learner: 'ppo', critic: 'network' } },
  },
];
