// Represents a context as chat messages. The `chat_template` of an exported model turns them back into the same
// context.
import { endOfTurn, roleHeaders } from '../../../text/chatTemplate.ts';
import type { Role } from '../../../records/ids.ts';

export interface ContextMessage {
  role: 'user' | 'assistant';
  /** The speaker's role; absent if the message is the question. */
  name?: Role;
  content: string;
}

const byHeader = new Map(Object.entries(roleHeaders).map(([role, header]) => [header, role as Role]));
const headers = new RegExp(`(${[...byHeader.keys()].join('|')})`);
const beginning = '<bos>';

/** `text` starts a context and ends with the header of `role`, which the template adds itself. */
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
 * Removes the end of a turn, which the template adds. If feedback on an answer follows the end of the turn, this end is
 * kept, as in the template.
 */
const withoutEnd = (content: string) => (content.endsWith(endOfTurn) ? content.slice(0, -endOfTurn.length) : content);
