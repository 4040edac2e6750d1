// MAPPO: what is known of it without its code.
import { proximal, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'mappo',
  order: 60,
  label: 'MAPPO',
  paper: 'MAPPO 2103.01955',
  critic: 'joint',
  pay: 'team',
  published: proximal,
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    mappo: typeof facts;
  }
}
