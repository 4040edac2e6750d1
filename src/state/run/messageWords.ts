// The messages of each protocol, in the words of charts and verdicts: the plan, or what others said.
import { hasMessages, chosenProtocol, type ProtocolChoice } from '../../config/protocols/registry.ts';
import { say } from '../visitor/language.svelte.ts';

export interface MessageWords {
  /** `the plan` matters. */
  name: string;
  /** The action of an agent that heeds it. */
  reading: string;
  /** The part that the best possible does without; empty where nobody hears anybody. */
  without: string;
  /** Label of the most that is possible so. */
  best: string;
}

/** Label of the control in which nobody hears anything. */
export const hiddenLabel = () => say('messages suddenly hidden');

/** The words of a protocol; where nobody hears anybody there is nothing to do without. */
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
