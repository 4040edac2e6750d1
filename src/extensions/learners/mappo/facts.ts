// Facts about MAPPO for the settings, the files and the page.
import { proximal, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'mappo',
  order: 60,
  label: 'MAPPO',
  paper: 'MAPPO 2103.01955',
  meaning:
    'A learner with one critic for the whole team, which reads all messages and predicts from them the return of each turn.',
  critic: 'joint',
  pay: 'team',
  published: proximal,
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    mappo: typeof facts;
  }
}
