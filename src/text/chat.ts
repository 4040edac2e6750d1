// A chat as a model reads it, formatted by the model's own template, or line by line if there is none. Control tokens
// that the template wrote are encoded as control tokens. Control tokens in a visitor's text are encoded as plain text.
import { ConfigError, isNamedError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import type { ControlTokens } from './controlTokens.ts';
import type { boundedText } from './boundedTemplate.ts';

/**
 * The template code, cached for all runs. It is a pure function. The functions that write chats are synchronous, so
 * they cannot load this code.
 */
let render: typeof boundedText | null = null;

/**
 * Loads the template code, which is large and not needed by most runs. The loading must be awaited before a chat is
 * written; otherwise writing fails at once.
 */
export async function readyTemplates(): Promise<void> {
  render ??= (await import('./boundedTemplate.ts')).boundedText;
}

/** The template that is used for a model without one. */
export const plainTemplate = "{{ bos_token }}{% for message in messages %}{{ message['content'] }}\n{% endfor %}";

/** A message of a chat in the form that a template reads. */
export interface ChatTurn {
  role: string;
  content: string;
  name?: string | undefined;
}

/** The roles whose messages visitors write, or whose messages contain text from other sources. */
const fromOutside = new Set(['user', 'tool']);

export interface ChatForm {
  /** Jinja. */
  template: string;
  /** The texts that a template can read in addition to the messages. */
  special: Readonly<Record<string, string>>;
  controls: ControlTokens;
  /**
   * Control tokens that may end a visitor's message, because they belong to the format of messages. Absent if there are
   * none.
   */
  closing?: RegExp;
  /** The date for templates that ask for one. If absent, it is today. */
  now?: Date;
}

/**
 * Throws ConfigError if the template takes too long or refuses the messages. In the latter case, the error contains the
 * template's own message.
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
 * @param bounded runs work that the model's own files determine, within limits
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
