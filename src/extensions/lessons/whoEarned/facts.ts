import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 7,
  title: 'Who earned it?',
  aim: 'A right answer took five messages. Which of them earned the reward?',
} as const satisfies LessonFacts;
