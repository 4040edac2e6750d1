// The prompts of a chat model in this world.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { givenOf, statement } from './problems.ts';

/** The maximum number of tokens of a turn. */
export const chatWindow = 16;

export const prompts = {
  start: '',
  'hidden.secret': 'You know a secret: {fact}. Your friend does not know it.',
  heard: 'Your friend says: "{message}"',
  'ask.tell': 'Write one short sentence that tells your friend which animals {owner} has.',
  ask: '{question} Answer with one number.',
} as const satisfies PromptTexts;

export const facts: WorldModule['facts'] = (problem, sees) => {
  const given = givenOf(problem);
  return { owner: given.owner, ...(sees.includes('secret') && { fact: statement(given) }) };
};
