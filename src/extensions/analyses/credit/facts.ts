// The facts of the analysis of credit: the value of each message of a group, and the credit that learners would give to
// it.
import type { AnalysisFacts } from '../../../config/analyses/facts.ts';

export const facts = {
  name: 'credit',
  order: 10,
  label: 'What were these messages worth?',
  place: 'dialogue',
  lesson: {
    label: 'What messages were worth',
    button: 'Measure',
    action: 'measure the worth of messages',
    measures: {
      worthiest: {
        label: 'Number of the message that was worth the most',
        meaning:
          'the number of the message in the displayed dialogue that has the highest worth, measured by continuations',
      },
      fidelity: {
        label: 'Credit fidelity of the learner',
        meaning: 'the credit fidelity of the run’s own learner in the displayed group',
        isFinal: true,
      },
    },
  },
} as const satisfies AnalysisFacts;

declare module '../../../config/analyses/facts.ts' {
  interface AnalysisTable {
    credit: typeof facts;
  }
}
