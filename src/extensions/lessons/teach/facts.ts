import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 11,
  title: 'Teach, then reward',
  aim: 'Reward alone teaches nothing to an agent that never earns any.',
  shows: ['deadGroups'],
} as const satisfies LessonFacts;
