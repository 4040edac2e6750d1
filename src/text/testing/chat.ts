// A dialogue as text and as chat messages, written by hand: the expected output of the chat template of an exported
// model.
import type { Role } from '../../records/ids.ts';
import { promptText, roleHeaders, terminated } from '../chatTemplate.ts';

/** One message as it was said: `text` without its terminator. */
export interface SpokenText {
  role: Role;
  text: string;
  isFinish: boolean;
  /** The feedback on its quality that follows it (`feedbackTexts`). */
  told?: string;
}

export interface TemplateMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** For messages it hears: the role that said it. */
  name?: Role;
}

/** One agent's view: the private part of the question (null if it has none), the question, the messages. */
export interface ViewParts {
  hidden: string | null;
  question: string;
  messages: readonly SpokenText[];
}

/** The whole text that an agent sees. */
export function viewText({ hidden, question, messages }: ViewParts): string {
  const said = messages.map((message) => roleHeaders[message.role] + terminated(message) + (message.told ?? ''));
  return promptText(hidden, question) + said.join('');
}

/** The same view as chat messages: own turns are the assistant's, everything else is the user's. */
export function chatMessages({ hidden, question, messages }: ViewParts, role: Role): TemplateMessage[] {
  const chat: TemplateMessage[] = hidden === null ? [] : [{ role: 'system', content: hidden }];
  chat.push({ role: 'user', content: question });
  for (const message of messages) {
    const content = message.isFinish || message.told ? terminated(message) + (message.told ?? '') : message.text;
    chat.push(message.role === role ? { role: 'assistant', content } : { role: 'user', content, name: message.role });
  }
  return chat;
}
