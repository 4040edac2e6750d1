// The text that a chat is for a model: what its own template writes, or where it has none, what was said, line by line.
import { ConfigError, isNamedError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { boundedText } from './boundedTemplate.ts';

/** For a model without a template. */
export const plainTemplate = "{{ bos_token }}{% for message in messages %}{{ message['content'] }}\n{% endfor %}";

/** Throws ConfigError where the template refuses the messages, in its own words, or takes too long. */
export function chatText(
  { template, special }: { template: string; special: Readonly<Record<string, string>> },
  messages: readonly object[],
): string {
  try {
    return boundedText(template, { ...special, messages, add_generation_prompt: true });
  } catch (error) {
    if (isNamedError(error)) throw error;
    throw new ConfigError(spoken`messages: ${shortened((error as Error).message)}.`);
  }
}
