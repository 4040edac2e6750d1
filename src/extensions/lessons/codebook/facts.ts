import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 12,
  title: 'What do they say to each other?',
  aim: 'Read the messages as a codebook, and count them in bits.',
} as const satisfies LessonFacts;
