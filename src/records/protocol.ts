// A protocol is data. It defines the agents, the order in which they speak, who hears whom, whose answer counts, and
// when the dialogue ends. The turn loop of the rollout runs the protocol, and a world reads from it whose answer is the
// team's answer. The protocol is derived from its facts (config/protocols/facts.ts) and from the settings of a run.
import type { Role } from '../config/names.ts';
import type { ProtocolName } from '../config/protocols/facts.ts';
import { chosenProtocol } from '../config/protocols/registry.ts';
import type { OwnProtocol } from '../config/ownProtocol.ts';
import type { Config } from '../config/schema.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import { castIn } from './cast.ts';

export interface Protocol {
  name: ProtocolName;
  /** The role of each agent, by agent. */
  roles: readonly Role[];
  /** Names of the hidden texts of a problem that each agent sees, by agent. */
  sees: readonly (readonly string[])[];
  /**
   * A round, which is an ordered list of sets of agents; the agents of a set speak simultaneously. An agent occurs at
   * most once in a set.
   */
  round: readonly (readonly number[])[];
  /** Whether there is always exactly one round. */
  isOneRound: boolean;
  /** The number of rounds, if neither the settings nor the level state it. */
  rounds: number;
  /** Whether each turn is a step towards the answer and not an answer itself. */
  hasSteps?: true;
  /**
   * How an agent's context continues. If absent, the context grows: one row contains everything that the agent heard
   * and said. With `fresh`, each turn is a separate row. It is rebuilt from the prompt, the newest message of each
   * agent heard (including the agent's own), and the world's answers to these messages.
   */
  context?: 'fresh';
  /** The agent whose finish token ends the dialogue; null if the dialogue ends only with its last round. */
  finisher: number | null;
  /** For each agent, the agents that it hears in addition to itself; absent if it hears all. */
  hears?: readonly (readonly number[])[];
  /**
   * The agent whose newest answer is the team's answer. With `majority`, it is the most common of the newest answers;
   * in a tie, the one that was given first.
   */
  answerFrom: number | 'majority';
  /** If true, the team's answer is the newest answer with the highest verifier score. */
  isDecided?: true;
  /** Agents whose messages are hidden in the masked control. */
  messengers: readonly number[];
  /**
   * The dialogue ends after a round in which this share of the agents gives the same answer; absent if it never does.
   */
  stopsWhenAgreed?: number;
  /** Agents whose messages no other agent hears; absent if there are none. */
  unheard?: readonly number[];
  /**
   * Agents whose messages are replaced: the others hear messages from another dialogue instead. Absent if there are
   * none. An agent whose messages no other agent hears is never among them.
   */
  shuffled?: readonly number[];
  /** The share of messages that are withheld from a listener; absent if no messages are withheld. */
  maskPeers?: number;
  /** Whether each answer is followed by words on its quality. */
  hasFeedback?: boolean;
}

const isNamed: Record<Config['agents']['unheard'], (agent: number) => boolean> = {
  nobody: () => false,
  first: (agent) => agent === 0,
  others: (agent) => agent > 0,
  all: () => true,
};

/** The protocol of these settings in a world with these hidden texts. */
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

/** Converts a protocol to the form of a visitor's own protocol, in a world with these hidden texts. */
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
