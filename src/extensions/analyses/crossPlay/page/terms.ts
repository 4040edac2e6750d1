// The terms that only this analysis adds to the glossary.
import type { Term } from '../../../../ui/glossary/terms.ts';

export const terms: readonly Term[] = [
  {
    word: 'Cross-play',
    meaning:
      'A test in which agents that learned in different runs talk to each other; it shows whether they share a language or whether each run has its own.',
    source: 'Hu et al. 2003.02979',
  },
];
