// A chat as a model reads it, written by the model's own template or, without one, as messages line by line. Control
// tokens are read as such if the template wrote them, and as text if a visitor did.
import { ConfigError, isNamedError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import type { ControlTokens } from './controlTokens.ts';
import type { boundedText } from './boundedTemplate.ts';

/** The cached code of a pure function, the same for all runs; chats are written in functions that cannot wait for it. */
let render: typeof boundedText | null = null;

/**
 * Loads the template code, which is large and which most runs do not need. It must be awaited before a chat is written,
 * which otherwise fails at once.
 */
export async function readyTemplates(): Promise<void> {
  render ??= (await import('./boundedTemplate.ts')).boundedText;
}

/** The template for a model that has none. */
export const plainTemplate = "{{ bos_token }}{% for message in messages %}{{ message['content'] }}\n{% endfor %}";

/** A message of a chat, as a template reads it. */
export interface ChatTurn {
  role: string;
  content: string;
  name?: string | undefined;
}

/** The roles whose messages are written by a visitor, or contain text from others. */
const fromOutside = new Set(['user', 'tool']);

export interface ChatForm {
  /** Jinja. */
  template: string;
  /** Texts that the template reads in addition to the messages. */
  special: Readonly<Record<string, string>>;
  controls: ControlTokens;
  /** Control tokens that may end a visitor's message because they are part of its format; absent if there are none. */
  closing?: RegExp;
  /** The date for templates that request it; today if absent. */
  now?: Date;
}

/** Throws ConfigError with the template's own words if the template refuses the messages, or if it takes too long. */
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
 * The tokens of a chat. Throws like `chatText`, and FormatError for unknown characters.
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
