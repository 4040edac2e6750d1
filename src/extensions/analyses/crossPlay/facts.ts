// The facts of cross-play, in which agents of several checkpoints talk to each other.
import type { AnalysisFacts } from '../../../config/analyses/facts.ts';

export const facts = {
  name: 'crossPlay',
  order: 50,
  label: 'Cross-play',
  place: 'experiments',
} as const satisfies AnalysisFacts;

declare module '../../../config/analyses/facts.ts' {
  interface AnalysisTable {
    crossPlay: typeof facts;
  }
}
