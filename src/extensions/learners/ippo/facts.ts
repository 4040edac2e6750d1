// Facts about IPPO for the settings, the files and the page.
import { ownTrunk, proximal, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'ippo',
  order: 50,
  label: 'IPPO',
  paper: 'IPPO 2011.09533',
  meaning: 'PPO for independent agents: each has its own network, its own critic and its own reward.',
  critic: 'own',
  hasTokenReturns: true,
  exercise: 'gae',
  published: { ...proximal, ...ownTrunk, 'agents.parameters': 'separate', 'reward.across': 'own' },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    ippo: typeof facts;
  }
}
