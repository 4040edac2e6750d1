// The request for the credit of messages on the page.
import { Question } from '../../../../state/analyses/question.svelte.ts';
import type { AnalysisParts, AskedInLessons } from '../../../../state/analyses/analysis.ts';
import { fidelityOf, worthiest } from './measures.ts';

export interface CreditState extends AskedInLessons {
  question: Question<'credit'>;
}

export function makeState({ trainer, selection }: AnalysisParts): CreditState {
  const question = new Question('credit', { trainer, selection });
  const found = () => question.asked?.found ?? null;
  return {
    question,
    ask: (draws) => question.ask(draws),
    measures: {
      worthiest: () => worthiest(found(), selection.rolloutIndex),
      fidelity: () => fidelityOf(found(), trainer.view.run?.config.learning.learner),
    },
  };
}
