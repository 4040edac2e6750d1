// The words with which charts and verdicts refer to the messages of each protocol, such as the plan, or the other
// agents' messages.
import { hasMessages, chosenProtocol, type ProtocolChoice } from '../../config/protocols/registry.ts';
import { say } from '../visitor/language.svelte.ts';

export interface MessageWords {
  /** The messages as the subject of a sentence, such as `the plan`. */
  name: string;
  /** The words for an agent's use of these messages. */
  reading: string;
  /** The words for a result without the messages; empty if there are no messages, tools or notes. */
  without: string;
  /** The label of the best possible result without the messages. */
  best: string;
}

/** The label of the control in which no agent hears anything. */
export const hiddenLabel = () => say('messages suddenly hidden');

/**
 * The words for the messages of a protocol. If no agent reads the messages of another, there are no words for a result
 * without messages.
 */
export function messageWords(choice: ProtocolChoice): MessageWords {
  const facts = chosenProtocol(choice);
  const { message } = facts;
  const without = hasMessages(facts)
    ? say('without messages')
    : facts.needsTools
      ? say('without tools')
      : facts.context
        ? say('without notes')
        : '';
  return {
    name: message ? say(message.name) : say('what the others say'),
    reading: message ? say(message.reading) : say('hearing each other'),
    without,
    best: without ? say('best possible {without}', { without }) : say('best possible'),
  };
}
