// What passes between the agents of each protocol, in the words of charts and verdicts: the plan, or what others said.
import type { ProtocolName } from '../config/names.ts';

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

const best = 'best possible without messages';

const answers: MessageWords = { name: 'what the others say', reading: 'hearing each other', best };

/** Where nobody hears anybody there is nothing to do without. */
const alone: MessageWords = { ...answers, best: 'best possible' };

export const messageWords: Readonly<Record<ProtocolName, MessageWords>> = {
  reMA: { name: 'the plan', reading: 'reading the plan', best },
  pioneerObserver: { name: 'the pioneer’s answer', reading: 'reading the pioneer', best },
  summary: { name: 'what the members say', reading: 'reading the members', best },
  debate: answers,
  vote: alone,
  single: alone,
};
