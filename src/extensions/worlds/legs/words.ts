// The prompts of a chat model in this world.
import type { PromptTexts } from '../../../tasks/inWords/prompts.ts';

export const prompts = {
  start: '',
  'hidden.secret': 'You know a secret: {fact}. Your friend does not know it.',
  heard: 'Your friend says: "{message}"',
  'ask.tell': 'Write one short sentence that tells your friend which animals {owner} has.',
  ask: '{question} Answer with one number.',
} as const satisfies PromptTexts;
