// What passes between the agents of each protocol, in the words of charts and verdicts: the plan, or what others said.
import { hasMessages, talkFacts, type Talk } from '../../config/protocolFacts.ts';

export interface MessageWords {
  /** `the plan` matters. */
  name: string;
  /** What an agent does that heeds it. */
  reading: string;
  /** Label of the most that is possible without it. */
  best: string;
}

/** Label of the control in which nobody hears anything. */
export const hiddenLabel = 'messages hidden';

/** Of a protocol; where nobody hears anybody there is nothing to do without. */
export function messageWords(talk: Talk): MessageWords {
  const facts = talkFacts(talk);
  const { message = { name: 'what the others say', reading: 'hearing each other' } } = facts;
  const lacking = hasMessages(facts)
    ? ' without messages'
    : facts.needsTools
      ? ' without tools'
      : facts.context
        ? ' without notes'
        : '';
  return { ...message, best: `best possible${lacking}` };
}
