// The world in plain words, for agents that are language models: their prompts, and how their messages are read.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { calculationsIn, lastNumberIn, operationIn, spaced } from '../../../tasks/inWords/numbers.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';

/** The maximum number of tokens of a turn. */
export const chatWindow = 24;

export const prompts = {
  start: '',
  'start.plan': 'Question: {question}',
  'hidden.story': 'Story: {story}',
  'ask.plan':
    'Which calculation comes next? Write only this calculation, such as 4 + 3. If the last result answers the question, write [FINISH].',
  'ask.step': 'Give only the result, as a number.',
  ask: '{question} Write each calculation with its result, such as 4 + 3 = 7.',
} as const satisfies PromptTexts;

/** A whole answer in plain words, from its steps: `7 * 3 = 21. 21 + 4 = 25.` */
const inSentences = (steps: readonly string[]) => steps.map((step) => `${spaced(step)}.`).join(' ');

export const fromWords: WorldModule['fromWords'] = (_, { duty, text }) => {
  const said = text.trim();
  if (duty === 'plan') {
    const plan = operationIn(said);
    return { text: plan ?? said, isExact: plan !== null && said === spaced(plan) };
  }
  const result = lastNumberIn(said);
  const worked = duty === 'answer' ? calculationsIn(said) : [];
  if (worked.length > 0) return { text: worked.join(';'), isExact: said === inSentences(worked) };
  return { text: result ?? said, isExact: result !== null && said === result };
};

/** The steps of a whole answer in the world's own vocabulary. */
const steps = /^\d+[-+*]\d+=-?\d+(;\d+[-+*]\d+=-?\d+)*$/;

/** Plans and results are written with spaces, and the steps of whole answers as sentences. */
export const toWords: WorldModule['toWords'] = (_, { text }) => {
  const said = text.trim();
  if (steps.test(said)) return inSentences(said.split(';'));
  return operationIn(said) === said ? spaced(said) : said;
};
