import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 6,
  title: 'One brain or two',
  aim: 'Planner and reasoner may share one network or have one each.',
} as const satisfies LessonFacts;
