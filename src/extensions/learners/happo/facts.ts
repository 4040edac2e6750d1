// Facts about HAPPO for the settings, the files and the page.
import { proximal, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'happo',
  order: 70,
  label: 'HAPPO',
  paper: 'HAPPO 2109.11251',
  meaning:
    'MAPPO in which the agents are updated one after another; each update takes into account how the agents before it have changed.',
  critic: 'joint',
  updates: 'oneAfterAnother',
  pay: 'team',
  published: {
    ...proximal,
    'agents.parameters': 'separate',
    'learning.switchEvery': 0,
    'learning.sequentialRatio': 'product',
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    happo: typeof facts;
  }
}
