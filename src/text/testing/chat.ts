// A dialogue as text and as chat messages, written by hand. Tests expect this output from the chat template of an
// exported model.
import type { Role } from '../../records/ids.ts';
import { promptText, roleHeaders, terminated } from '../chatTemplate.ts';

/** A message of an agent. Its `text` does not include the terminator. */
export interface SpokenText {
  role: Role;
  text: string;
  isFinish: boolean;
  /** The feedback on the quality of the message, which follows it (`feedbackTexts`). */
  told?: string;
}

export interface TemplateMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** The role that sent the message, for messages that the agent hears. */
  name?: Role;
}

/** The text that one agent sees, in parts: the hidden text (null if there is none), the question, and the messages. */
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

/**
 * The same view as chat messages. The agent's own turns are messages of the assistant, and everything else comes from
 * the user.
 */
export function chatMessages({ hidden, question, messages }: ViewParts, role: Role): TemplateMessage[] {
  const chat: TemplateMessage[] = hidden === null ? [] : [{ role: 'system', content: hidden }];
  chat.push({ role: 'user', content: question });
  for (const message of messages) {
    const content = message.isFinish || message.told ? terminated(message) + (message.told ?? '') : message.text;
    chat.push(message.role === role ? { role: 'assistant', content } : { role: 'user', content, name: message.role });
  }
  return chat;
}
