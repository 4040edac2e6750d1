// Converts a chat to the text and tokens that a model reads. The model's own template formats the chat. Without a
// template, each message becomes one line. Control tokens that the template wrote are encoded as control tokens.
// Control tokens in a visitor's text are encoded as plain text.
import { ConfigError, isNamedError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import type { ControlTokens } from './controlTokens.ts';
import type { boundedText } from './boundedTemplate.ts';

/**
 * The template code, cached for all runs. This variable is null until `readyTemplates` has loaded the code, because the
 * functions that write chats are synchronous and cannot load code.
 */
let render: typeof boundedText | null = null;

/**
 * Loads the template code, which is large and not needed by most runs. Callers must await this function before they
 * write a chat; otherwise `chatText` throws an error.
 */
export async function readyTemplates(): Promise<void> {
  render ??= (await import('./boundedTemplate.ts')).boundedText;
}

/** The template for models without a template of their own. */
export const plainTemplate = "{{ bos_token }}{% for message in messages %}{{ message['content'] }}\n{% endfor %}";

/** A message of a chat, with the fields that a template reads. */
export interface ChatTurn {
  role: string;
  content: string;
  name?: string | undefined;
}

/**
 * The roles whose messages are written by visitors or tools. Control tokens in these messages are treated as plain
 * text.
 */
const fromOutside = new Set(['user', 'tool']);

export interface ChatForm {
  /** The template's source code, in Jinja. */
  template: string;
  /** The texts that a template can read in addition to the messages. */
  special: Readonly<Record<string, string>>;
  controls: ControlTokens;
  /**
   * Matches the control tokens with which a visitor's message may end, because they are part of the message format.
   * Absent if there are no such tokens.
   */
  closing?: RegExp;
  /** The date that a template can insert. If absent, today's date is used. */
  now?: Date;
}

/**
 * Formats messages with a template. Throws ConfigError if the template exceeds its budget or rejects the messages. In
 * the latter case, the error contains the template's own message.
 */
export function chatText(
  { template, special, now }: Pick<ChatForm, 'template' | 'special' | 'now'>,
  messages: readonly object[],
): string {
  if (!render) throw new Error('the chat templates are not loaded; call readyTemplates before the first chat');
  try {
    return render(template, { ...special, messages, add_generation_prompt: true }, now);
  } catch (error) {
    if (isNamedError(error)) throw error;
    throw new ConfigError(spoken`messages: ${shortened((error as Error).message)}.`);
  }
}

/**
 * The tokens of a chat. Throws the errors of `chatText`, and FormatError for unknown characters.
 * @param bounded runs a function within limits, because its cost depends on the model's files
 */
export function chatTokens(
  form: ChatForm,
  messages: readonly ChatTurn[],
  bounded: <T>(work: () => T) => T = (work) => work(),
): number[] {
  const { controls, closing } = form;
  const hidden = ({ role, content, name, ...more }: ChatTurn): ChatTurn => {
    const isOutside = fromOutside.has(role);
    const end = isOutside ? (closing?.exec(content)?.[0] ?? '') : content;
    const shown = controls.hidden(content.slice(0, content.length - end.length)) + end;
    return { ...more, role, content: shown, ...(name !== undefined && { name: controls.hidden(name) }) };
  };
  const written = bounded(() => chatText(form, messages.map(hidden)));
  const encode = controls.readerOf(written);
  return bounded(() => encode(written));
}
