// The facts of the analysis that shows the advantage of one token with every learner.
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
