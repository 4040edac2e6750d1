import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 5,
  title: 'Too fast: a collapse and its rescue',
  aim: 'A learning rate thirty times too high, and the way back.',
  shows: ['bestKept', 'steadyGradient'],
} as const satisfies LessonFacts;
