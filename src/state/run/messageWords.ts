// The messages of each protocol, in the words of charts and verdicts: the plan, or the other agents' messages.
import { hasMessages, chosenProtocol, type ProtocolChoice } from '../../config/protocols/registry.ts';
import { say } from '../visitor/language.svelte.ts';

export interface MessageWords {
  /** `the plan` matters. */
  name: string;
  /** The action of an agent that follows it. */
  reading: string;
  /** The words for the best possible result without the messages; empty if no agent hears another. */
  without: string;
  /** The label of the best possible result without it. */
  best: string;
}

/** The label of the control in which no agent hears anything. */
export const hiddenLabel = () => say('messages suddenly hidden');

/** The words of a protocol; if no agent hears another, there are no messages to remove. */
export function messageWords(talk: ProtocolChoice): MessageWords {
  const facts = chosenProtocol(talk);
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
