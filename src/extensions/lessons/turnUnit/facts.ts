import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 3,
  title: 'Why a turn is the unit',
  aim: 'A published claim, tried here with the same luck for both sides.',
} as const satisfies LessonFacts;
