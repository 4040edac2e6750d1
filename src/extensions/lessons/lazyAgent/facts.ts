import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 4,
  title: 'The lazy agent',
  aim: 'Pay for short messages, and see what becomes of the talk.',
  shows: ['nobodyLazy'],
} as const satisfies LessonFacts;
