// The world in plain words, for a chat model. The prompts are the same as in the reference run.
import type { ChatMessage } from '../../../records/stored/modelCard.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { givenOf, question, statement } from './problems.ts';

/** All sentences of the prompts of a chat model, except the question. */
const phrases = {
  secret: (fact: string, friend: string) => `You know a secret: ${fact}. Your friend ${friend} does not know it.`,
  tell: (thing: string) => `Write one short sentence that tells your friend the colour of the ${thing}.`,
  says: (message: string) => `Your friend says: "${message}"`,
  answer: 'Answer with one word.',
};

export const chat: NonNullable<WorldModule['chat']> = (problem, { role, sees, heard }) => {
  const given = givenOf(problem);
  const isInformed = sees.includes('secret');
  const tells = isInformed && (role === 'metaThinking' || role === 'pioneer');
  const asked = tells ? phrases.tell(given.thing) : `${question(given.thing)} ${phrases.answer}`;
  const messages: ChatMessage[] = [];
  let said: string[] = [];
  const ask = () => {
    const known = isInformed && messages.length === 0 ? [phrases.secret(statement(given), given.friend)] : [];
    // The prompt of an agent that does not know the secret always contains a message from the friend, even if this
    // message is empty.
    const heardOf = said.length > 0 || isInformed ? said : [''];
    messages.push({ role: 'user', content: [...known, ...heardOf.map(phrases.says), asked].join(' ') });
    said = [];
  };
  for (const { isOwn, text } of heard) {
    if (!isOwn) {
      said.push(text.trim());
      continue;
    }
    ask();
    messages.push({ role: 'assistant', content: text.trim() });
  }
  ask();
  return messages;
};
