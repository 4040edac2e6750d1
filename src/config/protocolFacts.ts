// All protocols, each one record: who there is, who speaks after whom, whose answer counts. Numbers of agents, rounds and
// all lists of protocols follow from it. A protocol is added by a name in `names.ts` and a record here; what a visitor
// writes (ownProtocol.ts) comes to such a record too.
import type { Demand } from './field.ts';
import { protocolNames, type adapterOwners, type parameterModes } from './names.ts';
import type { InformedName, ProtocolName, Role } from './names.ts';
import { plannedPair, type OwnAgent, type OwnProtocol } from './ownProtocol.ts';

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
  /**
   * The thing that passes between the agents, in the words of charts: its name, and what an agent does that heeds it.
   */
  message?: { name: string; reading: string };
}

/** The protocols that have a name and a record of their own. */
type NamedProtocol = Exclude<ProtocolName, 'own'>;

/** Rounds that the longest problems ask for where turns are steps. */
const mostSteps = 7;

const several = (count: number, role: Role) => Array.from({ length: count }, () => role);
const all = (agents: readonly number[]) => agents;
const none = () => [];
const first = () => [0];
const last = (agents: readonly number[]) => agents.length - 1;
const allButLast = (agents: readonly number[]) => agents.slice(0, -1);

const namedFacts: Record<NamedProtocol, ProtocolFacts> = {
  // ReMA (2503.09501): the meta-thinking agent plans, the reasoning agent executes, until the planner finishes.
  reMA: {
    label: 'Plan and reason',
    roles: () => ['metaThinking', 'reasoning'],
    sees: 'first',
    isSightFixed: true,
    round: () => [[0], [1]],
    rounds: mostSteps,
    hasSteps: true,
    finisher: 0,
    answerFrom: () => 1,
    messengers: first,
    message: { name: 'the plan', reading: 'reading the plan' },
  },
  // One agent sees the whole problem, its hidden part included, and answers in one turn: the control.
  single: {
    label: 'One agent',
    roles: () => ['reasoning'],
    sees: 'first',
    isSightFixed: true,
    round: () => [[0]],
    rounds: 1,
    isOneRound: true,
    finisher: null,
    answerFrom: () => 0,
    messengers: none,
  },
  // CORY (2410.06101): the pioneer answers the question, the observer sees question and answer and answers too; the
  // observer's answer is the team's.
  pioneerObserver: {
    label: 'Pioneer and observer',
    roles: () => ['pioneer', 'observer'],
    sees: 'first',
    round: () => [[0], [1]],
    rounds: 1,
    isOneRound: true,
    finisher: null,
    answerFrom: () => 1,
    messengers: first,
    message: { name: 'the pioneer’s answer', reading: 'reading the pioneer' },
  },
  // Debate (MAPoRL 2502.18439, MAVERL): all answer at once, then read what the others said and answer again, round after
  // round. The most common answer is the team's.
  debate: {
    label: 'Debate',
    roles: (count) => several(count, 'debater'),
    alone: 'a debate needs somebody to debate with',
    sees: 'half',
    round: (agents) => [agents],
    rounds: 2,
    finisher: null,
    answerFrom: () => 'majority',
    messengers: all,
    isDebate: true,
  },
  // Independent answers and a majority vote: nobody hears anybody. A team that talks must beat it at equal tokens.
  vote: {
    label: 'Vote',
    roles: (count) => several(count, 'reasoning'),
    sees: 'all',
    round: (agents) => [agents],
    rounds: 1,
    isOneRound: true,
    finisher: null,
    hears: (agents) => agents.map(none),
    answerFrom: () => 'majority',
    messengers: none,
  },
  // The members answer at once without hearing each other; the leader, last of the team, reads all their answers and gives
  // the team's. Where there are several rounds the members hear the leader and answer again.
  summary: {
    label: 'Summary',
    roles: (count) => [...several(count - 1, 'reasoning'), 'summariser'],
    alone: 'a leader needs somebody to read',
    sees: 'allButLast',
    round: (agents) => [allButLast(agents), [last(agents)]],
    rounds: 1,
    finisher: null,
    hears: (agents) => [...allButLast(agents).map(() => [last(agents)]), allButLast(agents)],
    answerFrom: last,
    messengers: allButLast,
    message: { name: 'what the members say', reading: 'reading the members' },
  },
  // Debate in turn: one speaks, the other hears it and replies, round after round. Who has the last word gives the team's
  // answer, but in a world whose judge decides by what both have said.
  inTurn: {
    label: 'Debate in turn',
    roles: () => ['debater', 'debater'],
    sees: 'first',
    round: () => [[0], [1]],
    rounds: 2,
    finisher: null,
    answerFrom: last,
    messengers: all,
    message: { name: 'what the other says', reading: 'hearing each other' },
  },
  // A memory loop (MemAgent 2507.02259, ReMemR1 2509.23040): a reader sees a text piece by piece and rewrites a note, the
  // only thing that it takes along; an answerer sees the note and says what it would answer now. Both forget all else.
  memoryLoop: {
    label: 'Read and remember',
    roles: () => ['metaThinking', 'reasoning'],
    sees: 'nobody',
    isSightFixed: true,
    round: () => [[0], [1]],
    rounds: 5,
    hasSteps: true,
    context: 'fresh',
    finisher: null,
    hears: () => [[], [0]],
    answerFrom: () => 1,
    messengers: first,
    message: { name: 'the note', reading: 'reading the note' },
  },
  // The same with one agent (MemAgent as it was published): it reads, notes, calls back, and answers after the last piece.
  memoryAlone: {
    label: 'Read and remember, alone',
    roles: () => ['reasoning'],
    sees: 'nobody',
    isSightFixed: true,
    round: () => [[0]],
    rounds: 5,
    hasSteps: true,
    context: 'fresh',
    finisher: null,
    answerFrom: () => 0,
    messengers: none,
  },
  // A tool loop (ReAct 2210.03629): one agent sees the whole problem, makes a call, reads what comes back, and so on
  // until it answers. It differs from a planner and a reasoner in that nobody else plans.
  toolLoop: {
    label: 'One agent with tools',
    roles: () => ['reasoning'],
    sees: 'first',
    isSightFixed: true,
    round: () => [[0]],
    rounds: 5,
    hasSteps: true,
    needsTools: true,
    finisher: null,
    answerFrom: () => 0,
    messengers: none,
  },
  // One message and one answer: who knows tells, who is asked answers, and each turn is read on its own. The smallest talk in
  // which a message counts; a language model can hold it in the form of a chat, as one user's request each.
  tell: {
    label: 'Tell and answer',
    roles: () => ['metaThinking', 'reasoning'],
    sees: 'first',
    isSightFixed: true,
    round: () => [[0], [1]],
    rounds: 1,
    isOneRound: true,
    context: 'fresh',
    finisher: null,
    hears: () => [[], [0]],
    answerFrom: () => 1,
    messengers: first,
    message: { name: 'the message', reading: 'reading the message' },
  },
};

/**
 * The facts of a protocol that a visitor wrote: trajectories in steps if somebody finishes them, otherwise trajectories
 * of answers.
 */
function ownFacts({ agents, order, answer, finisher, context }: OwnProtocol): ProtocolFacts {
  const hasSteps = finisher !== null;
  const heard = [...agents.keys()].filter((agent) => agents.some(({ hears }) => hears.includes(agent)));
  const messengers = hasSteps ? heard.filter((agent) => agents[agent]?.role === 'metaThinking') : heard;
  const hasMessages = messengers.length > 0;
  return {
    label: 'Your own',
    roles: () => agents.map(({ role }) => role),
    sees: agents.map(({ sees }) => sees),
    isSightFixed: true,
    round: () => order,
    rounds: hasSteps ? mostSteps : hasMessages ? 2 : 1,
    ...(hasSteps && { hasSteps }),
    ...(context === 'fresh' && { context }),
    finisher,
    hears: () => agents.map(({ hears }) => hears),
    answerFrom: () => answer,
    messengers: () => messengers,
    ...(!hasSteps && hasMessages && { isDebate: true }),
  };
}

/** The settings of a run that say which protocol it has. */
export interface Talk {
  protocol: ProtocolName;
  own: OwnProtocol;
}

/** The record of the protocol that these settings name or write. */
export const talkFacts = ({ protocol, own }: Talk): ProtocolFacts =>
  protocol === 'own' ? ownFacts(own) : namedFacts[protocol];

/** The protocol with a name that one behaves like in all that other settings ask of it: the named one itself. */
export function kinOf(talk: Talk): NamedProtocol {
  if (talk.protocol !== 'own') return talk.protocol;
  const facts = ownFacts(talk.own);
  if (facts.hasSteps) return 'reMA';
  if (talk.own.agents.length === 1) return 'single';
  return facts.isDebate ? 'debate' : 'vote';
}

type Claim = (facts: ProtocolFacts) => boolean | undefined;

const isNamed = (name: ProtocolName): name is NamedProtocol => name !== 'own';

/** The protocols with a name of which a claim is true; of a written one it is true where it is of its kin. */
export const protocolsWhere = (is: Claim): NamedProtocol[] =>
  protocolNames.filter(isNamed).filter((name) => is(namedFacts[name]));

/** Both kinds that a visitor may write: in steps, and of answers. */
const ownKinds = [plannedPair, { ...plannedPair, finisher: null }].map(ownFacts);

/** The same as forms say it, with those that may be written: one of so many, or none of the others where these are fewer. */
export function protocolIs(claim: Claim): Demand {
  const named: readonly ProtocolName[] = protocolsWhere(claim);
  const are = ownKinds.some(claim) ? [...named, 'own' as const] : named;
  const others = protocolNames.filter((name) => !are.includes(name));
  return others.length < are.length ? { not: others } : are;
}

/** The label of each protocol on the page. */
export const protocolLabels = Object.fromEntries(
  protocolNames.map((name) => [name, talkFacts({ protocol: name, own: plannedPair }).label]),
) as Record<ProtocolName, string>;

/** The setting for the number of agents decides how many there are. */
export const isCounted = ({ roles }: ProtocolFacts): boolean => roles(2).length !== roles(3).length;
/** There are others, however many agents are asked for. */
export const isTeam = ({ roles }: ProtocolFacts): boolean => roles(2).length > 1;
/** Somebody hears what another says. */
export const hasMessages = ({ messengers }: ProtocolFacts): boolean => messengers([0, 1]).length > 0;
/** Agents answer, and each hears all others. */
export const isHeardByAll = (facts: ProtocolFacts): boolean => isTeam(facts) && !facts.hasSteps && !facts.hears;
/** Agents answer, hear other answers, and answer again. */
export const hasSecondAnswers = ({ isOneRound, hasSteps }: ProtocolFacts): boolean => !isOneRound && !hasSteps;

/** The settings of a run that describe its team. */
interface Team extends Talk {
  count: number;
  roundLimit: number;
  parameters: (typeof parameterModes)[number];
  adapterPer: (typeof adapterOwners)[number];
}

/** Agents of a team. */
export const agentCount = (team: Talk & Pick<Team, 'count'>): number => talkFacts(team).roles(team.count).length;

/** Turns of an agent at most, at any level. */
export function mostRounds(team: Talk & Pick<Team, 'roundLimit'>): number {
  const { isOneRound, rounds } = talkFacts(team);
  return isOneRound ? 1 : team.roundLimit || rounds;
}

/** Sets of turns said at once, at most, of a whole dialogue. */
export const mostSets = (team: Talk & Pick<Team, 'roundLimit'>): number =>
  mostRounds(team) * talkFacts(team).round([0, 1]).length;

/** Whether each turn of a role has an adapter of its own. */
export const hasTurnAdapters = ({ parameters, adapterPer }: Pick<Team, 'parameters' | 'adapterPer'>): boolean =>
  parameters === 'lora' && adapterPer === 'turn';

/** Whether one set of weights speaks all roles. */
export const isOneForAll = ({ parameters, adapterPer }: Pick<Team, 'parameters' | 'adapterPer'>): boolean =>
  parameters === 'shared' || (parameters === 'lora' && adapterPer === 'run');

/** Adapters of a team at most, one for each turn of a role. */
export const mostTurnAdapters = (team: Team): number => agentCount(team) * mostRounds(team);
