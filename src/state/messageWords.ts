// What passes between the agents of each protocol, in the words of charts and verdicts: the plan, or what others said.
import { protocolNames, type ProtocolName } from '../config/names.ts';
import { hasMessages, protocolFacts } from '../config/protocolFacts.ts';

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

/** By protocol; where nobody hears anybody there is nothing to do without. */
export const messageWords = Object.fromEntries(
  protocolNames.map((name) => {
    const facts = protocolFacts[name];
    const { message = { name: 'what the others say', reading: 'hearing each other' } } = facts;
    const lacking = hasMessages(facts) ? ' without messages' : facts.needsTools ? ' without tools' : '';
    return [name, { ...message, best: `best possible${lacking}` }];
  }),
) as Readonly<Record<ProtocolName, MessageWords>>;
