// The facts of the codebook: how much information the first message contains about the part of the problem that only
// its sender sees.
import type { AnalysisFacts } from '../../../config/analyses/facts.ts';

export const facts = {
  name: 'codebook',
  order: 20,
  label: 'What do they say?',
  place: 'dialogue',
  lesson: {
    label: 'The codebook',
    button: 'Read the codebook',
    action: 'read the codebook',
    measures: {
      bits: {
        label: 'Information in the first message, in bits',
        meaning:
          'the number of bits that the first message contains about the part that only its sender sees, according to the displayed codebook; 0 if this number may be due to chance',
        isFinal: true,
      },
    },
  },
} as const satisfies AnalysisFacts;

declare module '../../../config/analyses/facts.ts' {
  interface AnalysisTable {
    codebook: typeof facts;
  }
}
