// The terms that only this analysis adds to the glossary.
import type { Term } from '../../../../ui/glossary/terms.ts';

export const terms: readonly Term[] = [
  {
    word: 'Codebook',
    meaning:
      'The first message of an agent about one problem, listed by the part that only this agent sees; the bits show how much a listener learns from it, Miller–Madow corrected.',
    source: 'Miller 1955',
  },
];
