// Makes the protocol of a run, as plain data, from the facts about protocols (config/protocols/facts.ts) and the
// settings. A protocol defines the agents, the order in which they speak, who hears whom, whose answer counts as the
// team's answer, and when the dialogue ends. The turn loop of the rollout runs the dialogue by these rules.
import type { Role } from '../config/names.ts';
import type { ProtocolName } from '../config/protocols/facts.ts';
import { chosenProtocol } from '../config/protocols/registry.ts';
import type { OwnProtocol } from '../config/ownProtocol.ts';
import type { Config } from '../config/schema.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import { castIn } from './cast.ts';

export interface Protocol {
  name: ProtocolName;
  /** The role of each agent. */
  roles: readonly Role[];
  /** For each agent, the names of the hidden texts of a problem that it sees. */
  sees: readonly (readonly string[])[];
  /**
   * The order of speakers in a round: a list of sets of agents. The sets speak one after the other; the agents of a set
   * speak at the same time. No agent occurs twice in a set.
   */
  round: readonly (readonly number[])[];
  /** Whether there is always exactly one round. */
  isOneRound: boolean;
  /** The number of rounds that is used if neither the settings nor the level determine it. */
  rounds: number;
  /** Whether each turn is only a step towards the answer. Otherwise, each turn is a whole answer. */
  hasSteps?: true;
  /**
   * How the context of an agent is built. If absent, the context grows: it contains everything that the agent has heard
   * and said. With `fresh`, the context is built again for each turn, from the prompt, the newest message of each agent
   * that this agent hears (and its own), and the world's answers to these messages.
   */
  context?: 'fresh';
  /** The agent whose finish token ends the dialogue; null if the dialogue does not end in this way. */
  finisher: number | null;
  /** For each agent, the agents that it hears in addition to itself; absent if all agents hear each other. */
  hears?: readonly (readonly number[])[];
  /**
   * The agent whose newest answer is the team's answer. With `majority`, the team's answer is the most common of the
   * agents' newest answers; in a tie, it is the most common answer that was given first.
   */
  answerFrom: number | 'majority';
  /** If true, the team's answer is the newest answer with the highest verifier score. */
  isDecided?: true;
  /** The agents whose messages are hidden when the accuracy with hidden messages is measured. */
  messengers: readonly number[];
  /**
   * If this share of the agents gives the same answer in a round, the dialogue ends after this round. Absent if
   * agreement does not end the dialogue.
   */
  stopsWhenAgreed?: number;
  /** The agents whose messages no other agent hears; absent if there are none. */
  unheard?: readonly number[];
  /**
   * The agents whose messages are shuffled: the other agents hear messages from another dialogue instead. Absent if
   * there are none. Agents whose messages nobody hears are not included.
   */
  shuffled?: readonly number[];
  /** The probability with which a message is hidden from a listener; absent if no messages are hidden in this way. */
  maskPeers?: number;
  /** Whether agents receive a text after each answer, in which the answer is rated. */
  hasFeedback?: boolean;
}

const isNamed: Record<Config['agents']['unheard'], (agent: number) => boolean> = {
  nobody: () => false,
  first: (agent) => agent === 0,
  others: (agent) => agent > 0,
  all: () => true,
};

/** Makes the protocol that these settings determine, for a world with these hidden texts. */
export function protocolOf(settings: Config['agents'], world: Pick<WorldForm, 'hidden'>): Protocol {
  const facts = chosenProtocol(settings);
  const cast = castIn(settings, world);
  const agents = [...cast.keys()];
  const { consensus, maskPeers, feedback } = settings;
  const unheard = agents.filter((agent) => isNamed[settings.unheard](agent));
  const shuffled = agents.filter((agent) => isNamed[settings.shuffled](agent) && !unheard.includes(agent));
  return {
    name: settings.protocol,
    roles: cast.map(({ role }) => role),
    sees: cast.map(({ sees }) => sees.map(({ name }) => name)),
    round: facts.round(agents),
    isOneRound: facts.isOneRound === true,
    rounds: facts.rounds,
    ...(facts.hasSteps && { hasSteps: true }),
    ...(facts.context && { context: facts.context }),
    finisher: facts.finisher,
    ...(facts.hears && { hears: facts.hears(agents) }),
    answerFrom: facts.answerFrom(agents),
    messengers: facts.messengers(agents),
    ...(facts.isDebate && consensus > 0 && { stopsWhenAgreed: consensus }),
    ...(unheard.length > 0 && { unheard }),
    ...(shuffled.length > 0 && { shuffled }),
    ...(facts.isDebate && maskPeers > 0 && { maskPeers }),
    ...(facts.isDebate && feedback && { hasFeedback: true }),
  };
}

/** Converts a protocol to the form in which visitors can edit it as their own protocol. */
export function writtenProtocol(
  { roles, sees, round, finisher, hears, answerFrom, context }: Protocol,
  { hidden }: Pick<WorldForm, 'hidden'>,
): OwnProtocol {
  const others = (agent: number) => [...roles.keys()].filter((other) => other !== agent);
  const sightOf = (seen: readonly string[]) => (seen.length > 0 && seen.length === hidden.length ? 'all' : [...seen]);
  return {
    agents: roles.map((role, agent) => ({
      role,
      hears: [...(hears?.[agent] ?? others(agent))],
      sees: sightOf(sees[agent] ?? []),
    })),
    order: round.map((set) => [...set]),
    ...{ answer: answerFrom, finisher, context: context ?? 'growing' },
  };
}
