// Facts about SFT for the settings, the files and the page.
import { usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'sft',
  order: 100,
  label: 'SFT',
  paper: 'STaR 2203.14465',
  meaning:
    'Supervised fine-tuning: the messages of the team’s right dialogues, or of demonstrations, are imitated token by token; all other messages are ignored.',
  loss: 'imitation',
  published: { 'learning.imitate': 'own' },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    sft: typeof facts;
  }
}
