// Facts about PPO for the settings, the files and the page.
import { ownTrunk, proximal, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'ppo',
  order: 40,
  label: 'PPO',
  paper: 'PPO 1707.06347',
  meaning: 'A learner with a clipped ratio and a critic that predicts the return at each token.',
  critic: 'own',
  hasTokenReturns: true,
  exercise: 'gae',
  published: { ...proximal, ...ownTrunk },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    ppo: typeof facts;
  }
}
