// The prompts of a chat model in this world.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { secretOf, givenOf } from './problems.ts';

/** The maximum number of tokens of a turn. */
export const chatWindow = 14;

export const prompts = {
  start: '',
  'hidden.secret': 'You know a secret: {fact} Your friend does not know it.',
  heard: 'Your friend says: "{message}"',
  'ask.tell': 'Tell your friend the order: write the three names, the winner first.',
  ask: '{question} Answer with the three names, the winner first.',
} as const satisfies PromptTexts;

export const facts: WorldModule['facts'] = (problem, sees) => ({
  ...(sees.includes('secret') && { fact: secretOf(givenOf(problem)) }),
});
