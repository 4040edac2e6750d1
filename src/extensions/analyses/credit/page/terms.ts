// The terms that only this analysis adds to the glossary.
import type { Term } from '../../../../ui/glossary/terms.ts';

export const terms: readonly Term[] = [
  {
    word: 'Credit fidelity',
    meaning:
      'Spearman’s ρ between the worth of each message of a group and the advantage that a learner gives it: 1 if both rank the messages in the same order, 0 if the two orders are unrelated.',
    source: 'Cothink; C3 2603.06859',
  },
  {
    word: 'Worth of a message',
    meaning:
      'V(c + m) − V(c): the mean reward when the team continues from context c with message m, minus the mean reward when the speaker samples its message again, with the current policies and the same random numbers.',
    source: 'C3 2603.06859',
  },
];
