// The rows of CORY in the comparison of learners (`npm run bench:learners`). The paper uses PPO, but both rows use the
// advantage of GRPO, so neither row equals the published form. `coryNearest` has the paper's other settings but the
// same protocol as the rows of other learners; `coryPioneer` also has the paper's protocol.
import type { StatedRow } from '../../../../bench/learners/row.ts';
import { presets } from '../../../config/presets.ts';

export const rows: readonly StatedRow[] = [
  {
    name: 'coryNearest',
    variant: 'its settings, without pioneer and observer, with GRPO instead of PPO',
    form: 'nearest',
  },
  {
    name: 'cory',
    variant: 'roles exchanged, KL in the reward',
    settings: {
      agents: { parameters: 'separate', swapEvery: 5 },
      learning: { learner: 'cory' },
      kl: { place: 'reward' },
    },
  },
  {
    name: 'coryPioneer',
    variant: 'the preset: pioneer and observer, with GRPO instead of PPO, 2.5 times the tokens',
    form: 'nearest',
    settings: presets.cory.settings,
    tokens: 300_000,
  },
];
