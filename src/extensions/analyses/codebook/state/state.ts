// The requests for a codebook on the page: at the displayed iteration, and for each stored checkpoint.
import { Question } from '../../../../state/analyses/question.svelte.ts';
import type { AnalysisParts, AskedInLessons } from '../../../../state/analyses/analysis.ts';
import { CodebookInTime } from './codebookInTime.svelte.ts';
import { bitsBeyondChance } from './measures.ts';

export interface CodebookState extends AskedInLessons {
  question: Question<'codebook'>;
  inTime: CodebookInTime;
}

export function makeState(parts: AnalysisParts): CodebookState {
  const question = new Question('codebook', parts);
  return {
    question,
    inTime: new CodebookInTime(parts),
    ask: (draws) => question.ask(draws),
    measures: { bits: () => bitsBeyondChance(question.asked?.found ?? null) },
  };
}
