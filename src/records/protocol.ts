// A protocol is data: the agents, the order of speaking, who hears whom, whose answer counts, and when it stops. The
// turn loop of the rollout runs it, and a world reads from it whose answer is the team's answer. It is derived from the
// facts of a protocol (config/protocols/facts.ts) and the settings of a run.
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
  /** A round: sets of agents that speak simultaneously, in order. An agent is in a set at most once. */
  round: readonly (readonly number[])[];
  /** Always exactly one round. */
  isOneRound: boolean;
  /** Number of rounds if neither the settings nor the level define it. */
  rounds: number;
  /** Each turn is a step towards the answer and not an answer itself. */
  hasSteps?: true;
  /**
   * How an agent's context continues. Absent: it grows; one row holds everything that it heard and said. `fresh`: each
   * turn is a separate row, rebuilt from the prompt, the newest message of each agent heard, including its own, and the
   * world's answers to these.
   */
  context?: 'fresh';
  /** Agent whose finish token ends the dialogue; null: it ends with its last round. */
  finisher: number | null;
  /** The agents that each agent hears in addition to itself, by agent; absent: all. */
  hears?: readonly (readonly number[])[];
  /**
   * Whose newest answer is the team's answer: that of one agent, or the most common one; among ties, the one given
   * first.
   */
  answerFrom: number | 'majority';
  /** Used instead of that: the newest answer with the highest verifier score. */
  isDecided?: true;
  /** Agents whose messages are hidden in the masked control. */
  messengers: readonly number[];
  /** Ends after a round in which this share of the agents gives the same answer; absent: never. */
  stopsWhenAgreed?: number;
  /** Agents whose messages no other agent reads; absent: none. */
  unheard?: readonly number[];
  /**
   * Agents whose messages are replaced for the others by those of another dialogue; absent: none. Never an agent whose
   * messages no other agent reads.
   */
  shuffled?: readonly number[];
  /** Share of messages that are withheld from a listener; absent: none. */
  maskPeers?: number;
  /** Each answer is followed by words on its quality. */
  hasFeedback?: boolean;
}

const isNamed: Record<Config['agents']['unheard'], (agent: number) => boolean> = {
  nobody: () => false,
  first: (agent) => agent === 0,
  others: (agent) => agent > 0,
  all: () => true,
};

/** The protocol of these settings in a world. */
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

/** A protocol in the form of a visitor's own, in a world that hides these texts. */
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
