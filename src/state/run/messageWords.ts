// The words with which charts and verdicts refer to the messages of a protocol, such as “the plan” or “the other
// agents' messages”.
import { hasMessages, chosenProtocol, type ProtocolChoice } from '../../config/protocols/registry.ts';
import { say } from '../visitor/language.svelte.ts';

export interface MessageWords {
  /** The messages as the subject of a sentence, such as `the plan`. */
  name: string;
  /** A phrase for the fact that agents use these messages. */
  reading: string;
  /** A phrase for results without the messages; empty if there are no messages, tools or notes. */
  without: string;
  /** The label of the best possible result without the messages. */
  best: string;
}

/** The label of the measurement in which all messages are hidden. */
export const hiddenLabel = () => say('messages suddenly hidden');

/**
 * The words for the messages of a protocol. If no agent reads messages of other agents, the phrase for results without
 * messages is empty.
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
