// The terms that only this analysis adds to the glossary.
import type { Term } from '../../../../ui/glossary/terms.ts';

export const terms: readonly Term[] = [
  {
    word: 'Codebook',
    meaning:
      'A table of an agent’s first messages about one problem, for each possible hidden part that only this agent sees; its bits (mutual information, Miller–Madow corrected) show how much a listener learns from the message about the hidden part.',
    source: 'Miller 1955',
  },
];
