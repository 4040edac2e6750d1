// The rows of GRPO, and of AT-GRPO, in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';
import { presets } from '../../../config/presets.ts';

const byToken = { ratioLevel: 'token', aggregation: 'token' } as const;

export const rows: readonly StatedRow[] = [
  {
    name: 'grpoPublished',
    variant: 'as published',
    form: 'published',
  },
  {
    name: 'treePublished',
    variant: 'AT-GRPO, four candidates per turn',
    form: 'published',
    settings: presets.tree.settings,
  },
  { name: 'grpo', variant: 'turn ratio', settings: { learning: { learner: 'grpo' } } },
  {
    name: 'grpoToken',
    variant: 'token ratio, mean over tokens',
    settings: { learning: { learner: 'grpo', ...byToken } },
  },
  {
    name: 'cispo',
    variant: 'CISPO: the clipped ratio as a weight of log π',
    settings: { learning: { learner: 'grpo', surrogate: 'cispo', ...byToken } },
  },
  {
    name: 'sapo',
    variant: 'SAPO: a smooth gate of the ratio',
    settings: { learning: { learner: 'grpo', surrogate: 'sapo', ...byToken } },
  },
  {
    name: 'gmpo',
    variant: 'GMPO: a geometric mean of bounded token ratios',
    settings: {
      learning: {
        learner: 'grpo',
        surrogate: 'gmpo',
        ...{ ratioLevel: 'trajectory', aggregation: 'trajectory', clipLow: 0.4, clipHigh: 0.4 },
      },
    },
  },
  {
    name: 'tree',
    variant: 'grpo, four candidates per turn',
    settings: {
      agents: { candidates: 4 },
      reward: { across: 'own', over: 'dense' },
      houseRule: { legalOperation: 0.25, rewrite: 0.5 },
      learning: { learner: 'grpo', groupKey: 'problem+agent+turn', groupSize: 2 },
    },
  },
];
