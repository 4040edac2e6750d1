// The prompts of a chat model in this world. The words are those of the reference run.
import type { PromptTexts } from '../../../tasks/inWords/prompts.ts';

export const prompts = {
  start: '',
  'hidden.secret': 'You know a secret: {fact}. Your friend {friend} does not know it.',
  heard: 'Your friend says: "{message}"',
  'ask.tell': 'Write one short sentence that tells your friend the colour of the {thing}.',
  ask: '{question} Answer with one word.',
} as const satisfies PromptTexts;
