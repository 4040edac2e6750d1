// A protocol is data: the agents, the order of speaking, and whose answer counts. It is in
// `extensions/protocols/NAME/protocol.ts`; numbers of agents, rounds and all lists of protocols follow from it
// (registry.ts). A visitor's own protocol (ownProtocol.ts) has the same facts.
import type { InformedName, Role } from '../names.ts';
import type { OwnAgent } from '../ownProtocol.ts';

/** Who sees a hidden text, in a team of any size. */
export type Sight = Exclude<InformedName, 'usual'> | 'allButLast' | 'otherHalf';

export interface ProtocolFacts {
  label: string;
  /** The role of each agent; `count` is the number of agents in the settings, which a team of a fixed size ignores. */
  roles: (count: number) => readonly Role[];
  /** Why one agent is too few, if the settings could ask for one; without a full stop. */
  alone?: string;
  /** Who sees the hidden part of a problem if the settings use the default, or what each agent sees of it. */
  sees: Sight | readonly OwnAgent['sees'][];
  /** No other agent may see it. */
  isSightFixed?: true;
  /** A round: sets of agents that speak simultaneously, in order. An agent appears in a set at most once. */
  round: (agents: readonly number[]) => readonly (readonly number[])[];
  /**
   * Maximum number of rounds if the settings name no number; if turns are steps, the number that the longest problems
   * need.
   */
  rounds: number;
  /** Always one round, whatever the settings are. */
  isOneRound?: true;
  /** Each turn is a step towards the answer and not an answer itself. */
  hasSteps?: true;
  /** Turns are calls that the world answers: only available in worlds that name the protocol. */
  needsTools?: true;
  /** How contexts continue; absent: they grow. `fresh`: each turn has its own context (records/protocol.ts). */
  context?: 'fresh';
  /** Agent whose finish token ends the dialogue; null: it ends with its last round. */
  finisher: number | null;
  /** The agents that each agent hears in addition to itself, by agent; absent: all. */
  hears?: (agents: readonly number[]) => readonly (readonly number[])[];
  /**
   * Whose newest answer is the team's answer: that of one agent, or the most common one; among ties, the one given
   * first.
   */
  answerFrom: (agents: readonly number[]) => number | 'majority';
  /** Agents whose messages are hidden in the masked control. */
  messengers: (agents: readonly number[]) => readonly number[];
  /**
   * Answers may be withheld from some readers, be followed by a comment on their quality, and end the dialogue when
   * they agree.
   */
  isDebate?: true;
  /** The message between the agents, in the words of charts: its name, and what an agent does that follows it. */
  message?: { name: string; reading: string };
  /**
   * Who sees each of two hidden texts that give the answer only together; absent: the same agents as for all other
   * hidden texts.
   */
  halves?: readonly [Sight, Sight];
  /** Its reasoning agent first receives the information that it needs. */
  isTold?: true;
  /** The tasks of agents in the notes next to exported weights, if they differ from those of their role. */
  duties?: Partial<Record<Role, string>>;
  /**
   * A written protocol of this kind behaves like this protocol in everything that other settings require; there is one
   * such protocol for each kind.
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

/** The built-in protocols, by name: each is declared in its own folder. */
export interface ProtocolTable {}

/** The protocols that have a name and a record of their own. */
export type NamedProtocol = keyof ProtocolTable;

/** Includes the one that a visitor writes (ownProtocol.ts). */
export type ProtocolName = NamedProtocol | 'own';

/** Number of rounds that the longest problems need if turns are steps. */
export const mostSteps = 7;

export const several = (count: number, role: Role) => Array.from({ length: count }, () => role);
export const all = (agents: readonly number[]) => agents;
export const none = () => [];
export const first = () => [0];
export const last = (agents: readonly number[]) => agents.length - 1;
export const allButLast = (agents: readonly number[]) => agents.slice(0, -1);
