// The prompts of a chat model in this world. The words are those of the reference run.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { givenOf, statement } from './problems.ts';

/** The maximum number of tokens of a turn, as in the reference run. */
export const chatWindow = 14;

export const prompts = {
  start: '',
  'hidden.secret': 'You know a secret: {fact}. Your friend {friend} does not know it.',
  heard: 'Your friend says: "{message}"',
  'ask.tell': 'Write one short sentence that tells your friend the colour of the {thing}.',
  ask: '{question} Answer with one word.',
} as const satisfies PromptTexts;

export const facts: WorldModule['facts'] = (problem, sees) => {
  const given = givenOf(problem);
  return { thing: given.thing, ...(sees.includes('secret') && { fact: statement(given), friend: given.friend }) };
};
