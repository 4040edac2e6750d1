import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 9,
  title: 'Looking back',
  aim: 'A reader with a small memory learns to call old notes back.',
  shows: ['recall'],
} as const satisfies LessonFacts;
