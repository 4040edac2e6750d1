// The advantage of one token under every learner.
import type { AnalysisFacts } from '../../../config/analyses/facts.ts';

export const facts = {
  name: 'otherLearners',
  order: 30,
  label: 'Under other learners',
  place: 'token',
} as const satisfies AnalysisFacts;

declare module '../../../config/analyses/facts.ts' {
  interface AnalysisTable {
    otherLearners: typeof facts;
  }
}
