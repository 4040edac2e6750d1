import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 1,
  title: 'Two minds, one sum',
  aim: 'One agent knows the rule. The other does the work. Watch them learn to talk.',
  shows: ['messagesRead'],
} as const satisfies LessonFacts;
