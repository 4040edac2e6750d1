// A protocol is data: who there is, who speaks in what order, who hears whom, whose answer counts, when it stops. The
// turn loop of the rollout runs it, and a world reads off it whose answer is the team's. It is what the facts of a
// protocol (config/protocolFacts.ts) come to under the settings of a run.
import type { ProtocolName, Role } from '../config/names.ts';
import { protocolFacts } from '../config/protocolFacts.ts';
import type { Config } from '../config/schema.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import { castIn } from './cast.ts';

export interface Protocol {
  name: ProtocolName;
  /** As what each agent speaks, by agent. */
  roles: readonly Role[];
  /** Names of the hidden texts of a problem that each agent sees, by agent. */
  sees: readonly (readonly string[])[];
  /** A round: sets of agents that speak at once, in order. An agent stands in a set once at most. */
  round: readonly (readonly number[])[];
  /** One round and no more. */
  isOneRound: boolean;
  /**
   * How an agent's context goes on. Absent: it grows, one row for all that it heard and said. `fresh`: each turn is a row
   * of its own, made anew of the prompt, the newest message of everybody heard, itself included, and what the world
   * answered to those.
   */
  context?: 'fresh';
  /** Agent whose finish token ends the dialogue; null: it ends with its last round. */
  finisher: number | null;
  /** Whom each agent hears beside itself, by agent; absent: everybody. */
  hears?: readonly (readonly number[])[];
  /** Whose newest answer is the team's: that of one agent, or the most common one, the one given first of equals. */
  answerFrom: number | 'majority';
  /** Agents whose messages are hidden in the masked control. */
  messengers: readonly number[];
  /** Ends after a round in which this share of the agents gives one answer; absent: never. */
  stopsWhenAgreed?: number;
  /** Share of messages that a listener does not get to read; absent: none. */
  maskPeers?: number;
  /** Each answer is followed by words on how good it is. */
  hasFeedback?: boolean;
}

/** The protocol of these settings in a world. */
export function protocolOf(settings: Config['agents'], world: Pick<WorldForm, 'hidden'>): Protocol {
  const facts = protocolFacts[settings.protocol];
  const cast = castIn(settings, world);
  const agents = [...cast.keys()];
  const { consensus, maskPeers, feedback } = settings;
  return {
    name: settings.protocol,
    roles: cast.map(({ role }) => role),
    sees: cast.map(({ sees }) => sees.map(({ name }) => name)),
    round: facts.round(agents),
    isOneRound: facts.isOneRound === true,
    ...(facts.context && { context: facts.context }),
    finisher: facts.finisher,
    ...(facts.hears && { hears: facts.hears(agents) }),
    answerFrom: facts.answerFrom(agents),
    messengers: facts.messengers(agents),
    ...(facts.isDebate && consensus > 0 && { stopsWhenAgreed: consensus }),
    ...(facts.isDebate && maskPeers > 0 && { maskPeers }),
    ...(facts.isDebate && feedback && { hasFeedback: true }),
  };
}
