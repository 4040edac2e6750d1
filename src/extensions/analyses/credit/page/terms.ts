// The terms that only this analysis adds to the glossary.
import type { Term } from '../../../../ui/glossary/terms.ts';

export const terms: readonly Term[] = [
  {
    word: 'Credit fidelity',
    meaning:
      'Spearman’s ρ between what the messages of a group were really worth and the advantages that a learner gives them: 1 if both have the same order, 0 if the advantages tell nothing about the worth.',
    source: 'Cothink; C3 2603.06859',
  },
  {
    word: 'Worth of a message',
    meaning:
      'V(c + m) − V(c): the mean reward when the team continues from a message, minus the mean reward when its speaker samples it again, with the current policies and the same random numbers.',
    source: 'C3 2603.06859',
  },
];
