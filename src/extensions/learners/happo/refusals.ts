// Requirements of HAPPO on other settings: the agents must have networks that can be updated one after another.
import { learnerWhere } from '../../../config/learners/registry.ts';
import type { Row } from '../../../config/refusals/rule.ts';
import { apart } from '../../../config/refusals/team.ts';

/** The setting for another learner with a joint critic, which does not update agents one after another. */
const jointly = { 'learning.learner': learnerWhere(({ critic, updates }) => critic === 'joint' && updates === 'each') };

export const refusals: readonly Row[] = [
  {
    path: ({ agents }) => (agents.parameters === 'lora' ? 'agents.adapterPer' : 'agents.parameters'),
    ...apart,
    says: '{learning.learner} updates one agent after another, so each agent needs its own weights',
    remedies: (config) => [apart.give(config), jointly],
  },
];
