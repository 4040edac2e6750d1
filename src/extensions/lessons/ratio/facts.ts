import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 2,
  title: 'A token’s ratio, and why it is clipped',
  aim: 'Work out one number of the update by hand.',
  shows: ['smallUpdates'],
} as const satisfies LessonFacts;
