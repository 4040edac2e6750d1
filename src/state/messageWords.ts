// What passes between the agents of each protocol, in the words of charts and verdicts: the plan, or what others said.
import type { ProtocolName } from '../config/names.ts';

export interface MessageWords {
  /** `the plan` matters. */
  name: string;
  /** Who depends on it, while it is heard. */
  reads: string;
  /** Label of the control in which nobody hears it. */
  hidden: string;
  /** Label of the most that is possible without it. */
  without: string;
}

const answers: MessageWords = {
  name: 'what the others say',
  reads: 'the agents read each other',
  hidden: 'others hidden',
  without: 'without the others',
};

/** Where nobody hears anybody there is nothing to do without. */
const alone: MessageWords = { ...answers, without: 'at most' };

export const messageWords: Readonly<Record<ProtocolName, MessageWords>> = {
  reMA: {
    name: 'the plan',
    reads: 'the reasoner reads the plan',
    hidden: 'plan hidden',
    without: 'without a plan',
  },
  pioneerObserver: {
    name: 'the pioneer’s answer',
    reads: 'the observer reads the pioneer',
    hidden: 'pioneer hidden',
    without: 'without the pioneer',
  },
  summary: {
    name: 'what the members say',
    reads: 'the leader reads the members',
    hidden: 'members hidden',
    without: 'without the members',
  },
  debate: answers,
  vote: alone,
  single: alone,
};
