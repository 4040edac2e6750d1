// The prompts of a chat model in this world. The words are those of the reference run.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { askedIn, givenOf, statement } from './problems.ts';

/** The maximum number of tokens of a turn, as in the reference run. */
export const chatWindow = 14;

export const prompts = {
  start: '',
  'hidden.secret': 'You know a secret: {fact}. Your friend {friend} does not know it.',
  heard: 'Your friend says: "{message}"',
  'ask.tell': 'Write one short sentence that tells your friend the colour of the {thing}.',
  ask: '{question} Answer with {words}.',
} as const satisfies PromptTexts;

const together = (parts: readonly string[]) => parts.join(' and ');

export const facts: WorldModule['facts'] = (problem, sees) => {
  const asked = askedIn(problem);
  return {
    thing: together(asked.map(({ thing }, at) => (at === 0 ? thing : `the ${thing}`))),
    words: asked.length === 1 ? 'one word' : 'two words',
    ...(sees.includes('secret') && { fact: together(asked.map(statement)), friend: givenOf(problem).friend }),
  };
};

export const toWords: WorldModule['toWords'] = (_, { text }) => together(text.trim().split('. '));
