// A protocol is data: the agents, who speaks after whom, whose answer counts. It lies in `extensions/protocols/NAME/protocol.ts`;
// numbers of agents, rounds and all lists of protocols follow from it (registry.ts). A visitor's own
// protocol (ownProtocol.ts) has the same facts.
import type { InformedName, Role } from '../names.ts';
import type { OwnAgent } from '../ownProtocol.ts';

/** Who sees a hidden text, in a team of any size. */
export type Sight = Exclude<InformedName, 'usual'> | 'allButLast' | 'otherHalf';

export interface ProtocolFacts {
  label: string;
  /** As what each agent speaks; `count` is how many the settings ask for, which a team of a fixed size does not heed. */
  roles: (count: number) => readonly Role[];
  /** Why one agent is too few, where the settings could ask for one; without a full stop. */
  alone?: string;
  /** Who sees the hidden part of a problem where the settings leave it as usual, or what each agent sees of it. */
  sees: Sight | readonly OwnAgent['sees'][];
  /** Nobody else may see it. */
  isSightFixed?: true;
  /** A round: sets of agents that speak at once, in order. An agent stands in a set once at most. */
  round: (agents: readonly number[]) => readonly (readonly number[])[];
  /** Rounds at most where the settings name no number; where turns are steps, what the longest problems ask for. */
  rounds: number;
  /** One round and no more, whatever the settings say. */
  isOneRound?: true;
  /** Each turn is a step towards the answer and no answer itself. */
  hasSteps?: true;
  /** Turns are calls that the world answers: only in worlds that name the protocol. */
  needsTools?: true;
  /** How contexts go on: absent: they grow. `fresh`: each turn has one of its own (records/protocol.ts). */
  context?: 'fresh';
  /** Agent whose finish token ends the dialogue; null: it ends with its last round. */
  finisher: number | null;
  /** Whom each agent hears beside itself, by agent; absent: everybody. */
  hears?: (agents: readonly number[]) => readonly (readonly number[])[];
  /** Whose newest answer is the team's: that of one agent, or the most common one, the one given first of equals. */
  answerFrom: (agents: readonly number[]) => number | 'majority';
  /** Agents whose messages are hidden in the masked control. */
  messengers: (agents: readonly number[]) => readonly number[];
  /** Answers may be withheld from some readers, be followed by words on how good they are, and end it when they agree. */
  isDebate?: true;
  /** The message between the agents, in the words of charts: its name, and what an agent does that heeds it. */
  message?: { name: string; reading: string };
  /** Who sees each of two hidden texts that lead to the answer only together; absent: as it sees all others. */
  halves?: readonly [Sight, Sight];
  /** Its reasoning agent is told first what it is to know. */
  isTold?: true;
  /** The duties of agents, in the notes beside exported weights, where they differ from those of their role. */
  duties?: Partial<Record<Role, string>>;
  /** A written protocol of this kind behaves like it in all that other settings ask; one protocol has each kind. */
  standsFor?: OwnKind;
}

/** The kinds of protocols that a visitor writes: steps to an answer, one agent, agents that hear each other, or that do not. */
export type OwnKind = 'steps' | 'alone' | 'heard' | 'unheard';

/** A protocol that ships: one of the folders in `extensions/protocols`. */
export interface ShippedProtocol extends ProtocolFacts {
  name: string;
  /** Its place in lists, lowest first. */
  order: number;
}

/** The protocols that ship, by name: each is declared in its own folder. */
export interface ProtocolTable {}

/** The protocols that have a name and a record of their own. */
export type NamedProtocol = keyof ProtocolTable;

/** With the one that a visitor writes (ownProtocol.ts). */
export type ProtocolName = NamedProtocol | 'own';

/** Rounds that the longest problems ask for where turns are steps. */
export const mostSteps = 7;

export const several = (count: number, role: Role) => Array.from({ length: count }, () => role);
export const all = (agents: readonly number[]) => agents;
export const none = () => [];
export const first = () => [0];
export const last = (agents: readonly number[]) => agents.length - 1;
export const allButLast = (agents: readonly number[]) => agents.slice(0, -1);
