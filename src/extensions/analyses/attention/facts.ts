// The facts of the analysis that shows a network's attention when it sampled a token.
import type { AnalysisFacts } from '../../../config/analyses/facts.ts';

export const facts = {
  name: 'attention',
  order: 40,
  label: 'Attention of the token',
  place: 'token',
} as const satisfies AnalysisFacts;

declare module '../../../config/analyses/facts.ts' {
  interface AnalysisTable {
    attention: typeof facts;
  }
}
