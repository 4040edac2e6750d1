// Converts a context to chat messages. The `chat_template` of an exported model converts them back to the same context.
import { endOfTurn, roleHeaders } from '../../../text/chatTemplate.ts';
import type { Role } from '../../../records/ids.ts';

export interface ContextMessage {
  role: 'user' | 'assistant';
  /** The role of the agent that sent the message; absent if the message is the question. */
  name?: Role;
  content: string;
}

const byHeader = new Map(Object.entries(roleHeaders).map(([role, header]) => [header, role as Role]));
const headers = new RegExp(`(${[...byHeader.keys()].join('|')})`);
const beginning = '<bos>';

/** `text` is a context that ends with the header of `role`. The template adds this header itself. */
export function messagesOf(text: string, role: Role): ContextMessage[] {
  const [question = '', ...said] = text.slice(beginning.length).split(headers);
  const turns = said.flatMap((header, i) => {
    const name = byHeader.get(header);
    return i % 2 === 0 && i + 2 < said.length && name ? [{ name, content: withoutEnd(said[i + 1] ?? '') }] : [];
  });
  return [
    { role: 'user', content: withoutEnd(question) },
    ...turns.map((turn) => ({ role: turn.name === role ? ('assistant' as const) : ('user' as const), ...turn })),
  ];
}

/**
 * Removes the token at the end of a turn, which the template adds again. If feedback follows this token, the token is
 * not removed, because the template does not add it in this case.
 */
const withoutEnd = (content: string) => (content.endsWith(endOfTurn) ? content.slice(0, -endOfTurn.length) : content);
