import type { LessonFacts } from '../../../lessons/facts.ts';

export const facts = {
  number: 13,
  title: 'From toy to language model',
  aim: 'The same game in English, played by a language model that you open from a file.',
  needsModel: true,
} as const satisfies LessonFacts;
