import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 10,
  title: 'Paid for the wrong thing',
  aim: 'A judge that can be wrong pays the agent. The agent finds out.',
  shows: ['paidIsTrue'],
} as const satisfies LessonFacts;
