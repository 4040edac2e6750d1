import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 8,
  title: 'Talk or vote',
  aim: 'Several agents can answer separately and vote, or they can talk. Compare them at the same number of tokens.',
} as const satisfies LessonFacts;
