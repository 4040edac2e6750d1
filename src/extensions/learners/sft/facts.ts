// Facts about SFT for the settings, the files and the page.
import { usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'sft',
  order: 100,
  label: 'SFT',
  paper: 'STaR 2203.14465',
  meaning:
    'Supervised fine-tuning: right dialogues of the team, or demonstrations, are imitated token by token; all else is left out.',
  loss: 'imitation',
  published: { 'learning.imitate': 'own' },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    sft: typeof facts;
  }
}
