// A protocol is data: the agents, the order of speaking, and the agent whose answer counts. It is declared in
// `extensions/protocols/NAME/protocol.ts`. The numbers of agents and rounds and all lists of protocols are derived from
// it (registry.ts). The same facts are derived for a visitor's own protocol (ownProtocol.ts).
import type { InformedName, Role } from '../names.ts';
import type { OwnAgent } from '../ownProtocol.ts';

/** The agents that see a hidden text, described for a team of any size. */
export type Sight = Exclude<InformedName, 'usual'> | 'allButLast' | 'otherHalf';

export interface ProtocolFacts {
  label: string;
  /** Who speaks when, in one sentence. */
  meaning: string;
  /** The role of each agent; `count` is the number of agents in the settings, which a team of a fixed size ignores. */
  roles: (count: number) => readonly Role[];
  /** The reason why one agent is not enough, without a full stop. It is only needed if the settings allow one agent. */
  alone?: string;
  /**
   * The agents that see the hidden part of a problem if the setting has its default; or, for each agent, the part that
   * it sees.
   */
  sees: Sight | readonly OwnAgent['sees'][];
  /** The settings cannot show the hidden part to other agents. */
  isSightFixed?: true;
  /**
   * A round: a list of sets of agents. The sets speak in the order of the list, and the agents of one set speak at the
   * same time. An agent appears in a set at most once.
   */
  round: (agents: readonly number[]) => readonly (readonly number[])[];
  /**
   * Maximum number of rounds if the settings state no number. If turns are steps, it is the number that the longest
   * problems need.
   */
  rounds: number;
  /** There is always one round, whatever the settings are. */
  isOneRound?: true;
  /** Each turn is a step towards the answer and not an answer itself. */
  hasSteps?: true;
  /** Turns are calls that the world answers. Such a protocol is only available in worlds that list it. */
  needsTools?: true;
  /**
   * How a context continues from turn to turn. If absent, it grows. With `fresh`, each turn has its own context
   * (records/protocol.ts).
   */
  context?: 'fresh';
  /** The agent whose finish token ends the dialogue. If it is null, the dialogue ends with its last round. */
  finisher: number | null;
  /**
   * The agents that each agent hears in addition to itself, one list per agent. If absent, each agent hears all others.
   */
  hears?: (agents: readonly number[]) => readonly (readonly number[])[];
  /**
   * The agent whose newest answer is the team's answer, or `majority` for the most common newest answer. In a tie, the
   * answer that was given first wins.
   */
  answerFrom: (agents: readonly number[]) => number | 'majority';
  /** Agents whose messages are hidden in the control with masked messages. */
  messengers: (agents: readonly number[]) => readonly number[];
  /**
   * The settings of a debate apply: answers may be withheld from some readers or followed by a comment on their
   * quality, and the dialogue may end when the answers agree.
   */
  isDebate?: true;
  /**
   * The message between the agents, in the words of charts: the name of the message, and the words for an agent that
   * follows it.
   */
  message?: { name: string; reading: string };
  /**
   * Two hidden texts may give the answer only together. This field states the agents that see the first text and those
   * that see the second. If absent, they are the same as for all other hidden texts.
   */
  halves?: readonly [Sight, Sight];
  /** The protocol's reasoning agent first receives a message with the information that it needs. */
  isTold?: true;
  /** The tasks of agents, as described next to exported weights, if they differ from the usual tasks of their roles. */
  duties?: Partial<Record<Role, string>>;
  /**
   * Other settings treat a protocol of this kind that a visitor wrote like this protocol. Each kind belongs to exactly
   * one protocol.
   */
  standsFor?: OwnKind;
}

/**
 * The kinds of protocols that a visitor can write: steps to an answer, one agent, agents that hear each other, and
 * agents that do not.
 */
export type OwnKind = 'steps' | 'alone' | 'heard' | 'unheard';

/** A built-in protocol: one of the folders in `extensions/protocols`. */
export interface ShippedProtocol extends ProtocolFacts {
  name: string;
  /** Its position in lists, lowest first. */
  order: number;
}

/** The built-in protocols, by name. Each is declared in its own folder. */
export interface ProtocolTable {}

/** The protocols that have a name and their own record. */
export type NamedProtocol = keyof ProtocolTable;

/** All protocols, including the one that a visitor writes (ownProtocol.ts). */
export type ProtocolName = NamedProtocol | 'own';

/** Number of rounds that the longest problems need in a protocol whose turns are steps. */
export const mostSteps = 7;

export const several = (count: number, role: Role) => Array.from({ length: count }, () => role);
export const all = (agents: readonly number[]) => agents;
export const none = () => [];
export const first = () => [0];
export const last = (agents: readonly number[]) => agents.length - 1;
export const allButLast = (agents: readonly number[]) => agents.slice(0, -1);
