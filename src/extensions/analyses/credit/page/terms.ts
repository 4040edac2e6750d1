// The terms that only this analysis adds to the glossary.
import type { Term } from '../../../../ui/glossary/terms.ts';

export const terms: readonly Term[] = [
  {
    word: 'Credit fidelity',
    meaning:
      'Spearman’s ρ between what the messages of a group were really worth and what a learner’s advantages pay them: 1 where every message is paid in the order of its worth, 0 where pay says nothing of it.',
    source: 'Cothink; C3 2603.06859',
  },
  {
    word: 'Worth of a message',
    meaning:
      'V(c + m) − V(c): the mean reward when the team continues from a message, minus that when its speaker draws it again, under the present policies and with the same draws.',
    source: 'C3 2603.06859',
  },
];
