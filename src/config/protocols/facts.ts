// A protocol is data: the agents, the order of speaking, and the agent whose answer counts. Each built-in protocol is
// in `extensions/protocols/NAME/protocol.ts`. The numbers of agents and rounds and all lists of protocols are derived
// from these data (registry.ts). For a visitor's own protocol (ownProtocol.ts), the same facts are derived from its
// record.
import type { InformedName, Role } from '../names.ts';
import type { OwnAgent } from '../ownProtocol.ts';

/** The agents that see a hidden text, described in a way that applies to a team of any size. */
export type Sight = Exclude<InformedName, 'usual'> | 'allButLast' | 'otherHalf';

export interface ProtocolFacts {
  label: string;
  /** Who speaks when, in one sentence. */
  meaning: string;
  /**
   * The role of each agent. `count` is the number of agents in the settings; a protocol with a fixed number of agents
   * ignores it.
   */
  roles: (count: number) => readonly Role[];
  /**
   * The reason why one agent is not enough, without a full stop. The reason is only needed if the settings could
   * request one agent.
   */
  alone?: string;
  /**
   * The agents that see the hidden part of a problem if the setting for this has its default; or a list that states
   * what each agent sees.
   */
  sees: Sight | readonly OwnAgent['sees'][];
  /** True if the settings cannot change which agents see the hidden part. */
  isSightFixed?: true;
  /**
   * A round: a list of sets of agents. The sets speak in the order of the list, and the agents of one set speak at the
   * same time. An agent appears in a set at most once.
   */
  round: (agents: readonly number[]) => readonly (readonly number[])[];
  /** The default maximum number of rounds. If turns are steps, it is the number that the longest problems need. */
  rounds: number;
  /** True if there is always one round, whatever the settings are. */
  isOneRound?: true;
  /** True if each turn is a step towards the answer and not an answer itself. */
  hasSteps?: true;
  /**
   * True if turns are tool calls to which the world responds. Such a protocol is only available in worlds that list it.
   */
  needsTools?: true;
  /**
   * How the context of an agent continues from turn to turn. If this is absent, the context grows. With `fresh`, the
   * context is built again for each turn (records/protocol.ts).
   */
  context?: 'fresh';
  /** The agent that can end the dialogue by a finish token. If it is null, the dialogue ends after its last round. */
  finisher: number | null;
  /**
   * The agents that each agent hears in addition to itself, one list per agent. If absent, each agent hears all others.
   */
  hears?: (agents: readonly number[]) => readonly (readonly number[])[];
  /**
   * The agent whose newest answer is the team's answer. With `majority`, it is the most common of the newest answers;
   * in a tie, the answer that was given first wins.
   */
  answerFrom: (agents: readonly number[]) => number | 'majority';
  /** Agents whose messages are hidden in the control measurement that masks messages. */
  messengers: (agents: readonly number[]) => readonly number[];
  /**
   * True if the settings for debates apply: answers can be withheld from some readers or followed by a comment on their
   * quality, and the dialogue can end when the answers agree.
   */
  isDebate?: true;
  /**
   * Words for charts about the message between the agents: a name for the message, and a phrase for the act of reading
   * it.
   */
  message?: { name: string; reading: string };
  /**
   * Some problems have two hidden texts that give the answer only together. This field states the agents that see the
   * first text and those that see the second. If it is absent, the two texts are seen by the same agents as all other
   * hidden texts.
   */
  halves?: readonly [Sight, Sight];
  /** True if the reasoner of the protocol first receives a message with the information that it needs. */
  isTold?: true;
  /**
   * The tasks of agents, as described in the file that accompanies exported weights, if they differ from the usual
   * tasks of their roles.
   */
  duties?: Partial<Record<Role, string>>;
  /**
   * Texts of the prompts of agents that talk in plain words, by name (tasks/inWords/prompts.ts). A world can replace them.
   */
  prompts?: Readonly<Record<string, string>>;
  /**
   * The kind of visitors' own protocols to which the rules for this protocol also apply. Each kind belongs to exactly
   * one built-in protocol.
   */
  standsFor?: OwnKind;
}

/**
 * The kinds of protocols that a visitor can write: steps to an answer, one agent, agents that hear each other, and
 * agents that do not.
 */
export type OwnKind = 'steps' | 'alone' | 'heard' | 'unheard';

/** A built-in protocol, which is one of the folders in `extensions/protocols`. */
export interface ShippedProtocol extends ProtocolFacts {
  name: string;
  /** The position of the protocol in lists, lowest first. */
  order: number;
}

/** The built-in protocols, by name. Each is declared in its own folder. */
export interface ProtocolTable {}

/** The names of the built-in protocols. */
export type NamedProtocol = keyof ProtocolTable;

/** The names of all protocols, including `own`, the protocol that a visitor writes (ownProtocol.ts). */
export type ProtocolName = NamedProtocol | 'own';

/** Number of rounds that the longest problems need in a protocol whose turns are steps. */
export const mostSteps = 7;

export const several = (count: number, role: Role) => Array.from({ length: count }, () => role);
export const all = (agents: readonly number[]) => agents;
export const none = () => [];
export const first = () => [0];
export const last = (agents: readonly number[]) => agents.length - 1;
export const allButLast = (agents: readonly number[]) => agents.slice(0, -1);
