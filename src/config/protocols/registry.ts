// Every protocol by its name, as used by settings, files and the page.
import type { Demand } from '../field.ts';
import type { adapterOwners, parameterModes } from '../names.ts';
import { plannedPair, type OwnProtocol } from '../ownProtocol.ts';
import {
  mostSteps,
  type NamedProtocol,
  type OwnKind,
  type ProtocolFacts,
  type ProtocolName,
  type ShippedProtocol,
  type Sight,
} from './facts.ts';

const found: readonly ShippedProtocol[] = Object.values(
  import.meta.glob<ShippedProtocol>('../../extensions/protocols/*/protocol.ts', { eager: true, import: 'protocol' }),
).sort((one, other) => one.order - other.order);

/** In the order of the lists; the last one is the visitor's own. */
export const protocolNames: readonly ProtocolName[] = [...found.map(({ name }) => name as NamedProtocol), 'own'];

const protocolTable = Object.fromEntries(found.map((facts) => [facts.name, facts])) as unknown as Record<
  NamedProtocol,
  ProtocolFacts
>;

/** The protocol of a run whose settings do not name one. */
export const defaultProtocol = 'reMA' satisfies NamedProtocol;

/** The facts of a protocol that a visitor wrote: in steps if an agent may finish it, otherwise with answers. */
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

/** The settings of a run that define its protocol. */
export interface ProtocolChoice {
  protocol: ProtocolName;
  own: OwnProtocol;
}

/** The record of the protocol that these settings name or write. */
export const chosenProtocol = ({ protocol, own }: ProtocolChoice): ProtocolFacts =>
  protocol === 'own' ? ownFacts(own) : protocolTable[protocol];

type Claim = (facts: ProtocolFacts) => boolean | undefined;

/** The named protocols that meet a condition; a written protocol meets it if the named protocol of its kind does. */
export const protocolsWhere = (is: Claim): NamedProtocol[] => found.filter(is).map(({ name }) => name as NamedProtocol);

/** The first of these protocols: the one that is offered when another does not fit. */
export const protocolWhere = (is: Claim): NamedProtocol => protocolsWhere(is)[0] ?? defaultProtocol;

/** One agent that answers immediately: the baseline of all others. */
export const soloProtocol = protocolWhere(({ standsFor }) => standsFor === 'alone');

function kindOf({ agents }: OwnProtocol, { hasSteps, isDebate }: ProtocolFacts): OwnKind {
  if (hasSteps) return 'steps';
  if (agents.length === 1) return 'alone';
  return isDebate ? 'heard' : 'unheard';
}

/** The named protocol that a protocol behaves like in everything other settings require; a named one is its own. */
export function kinOf(talk: ProtocolChoice): NamedProtocol {
  if (talk.protocol !== 'own') return talk.protocol;
  const kind = kindOf(talk.own, ownFacts(talk.own));
  return protocolWhere(({ standsFor }) => standsFor === kind);
}

/** The facts of that protocol. */
export const kinFacts = (talk: ProtocolChoice): ProtocolFacts => protocolTable[kinOf(talk)];

/** Who by default sees the first or the second of two hidden texts that give the answer only together, by protocol. */
export const halfSights = (place: 0 | 1): Partial<Record<ProtocolName, Sight>> =>
  Object.fromEntries(found.flatMap(({ name, halves }) => (halves ? [[name, halves[place]]] : [])));

/** Both kinds that a visitor may write: in steps, and with answers. */
const ownKinds = [plannedPair, { ...plannedPair, finisher: null }].map(ownFacts);

/**
 * The same as a condition for forms, including written protocols: one of these, or none of the others if those are
 * fewer.
 */
export function protocolIs(claim: Claim): Demand {
  const named: readonly ProtocolName[] = protocolsWhere(claim);
  const are = ownKinds.some(claim) ? [...named, 'own' as const] : named;
  const others = protocolNames.filter((name) => !are.includes(name));
  return others.length < are.length ? { not: others } : are;
}

/** The label of each protocol on the page. */
export const protocolLabels = Object.fromEntries(
  protocolNames.map((name) => [name, chosenProtocol({ protocol: name, own: plannedPair }).label]),
) as Record<ProtocolName, string>;

/** The setting for the number of agents determines the team size. */
export const isCounted = ({ roles }: ProtocolFacts): boolean => roles(2).length !== roles(3).length;
/** There are other agents, whatever number of agents is set. */
export const isTeam = ({ roles }: ProtocolFacts): boolean => roles(2).length > 1;
/** At least one agent hears another. */
export const hasMessages = ({ messengers }: ProtocolFacts): boolean => messengers([0, 1]).length > 0;
/** Agents answer, and each hears all others. */
export const isHeardByAll = (facts: ProtocolFacts): boolean => isTeam(facts) && !facts.hasSteps && !facts.hears;
/** Agents answer, hear other answers, and answer again. */
export const hasSecondAnswers = ({ isOneRound, hasSteps }: ProtocolFacts): boolean => !isOneRound && !hasSteps;

/** The settings of a run that describe its team. */
interface Team extends ProtocolChoice {
  count: number;
  roundLimit: number;
  parameters: (typeof parameterModes)[number];
  adapterPer: (typeof adapterOwners)[number];
}

/** Agents of a team. */
export const agentCount = (team: ProtocolChoice & Pick<Team, 'count'>): number =>
  chosenProtocol(team).roles(team.count).length;

/** Maximum number of turns of an agent, at any level. */
export function mostRounds(team: ProtocolChoice & Pick<Team, 'roundLimit'>): number {
  const { isOneRound, rounds } = chosenProtocol(team);
  return isOneRound ? 1 : team.roundLimit || rounds;
}

/** Maximum number of sets of simultaneous turns in a whole dialogue. */
export const mostSets = (team: ProtocolChoice & Pick<Team, 'roundLimit'>): number =>
  mostRounds(team) * chosenProtocol(team).round([0, 1]).length;

/** Whether each turn of a role has an adapter of its own. */
export const hasTurnAdapters = ({ parameters, adapterPer }: Pick<Team, 'parameters' | 'adapterPer'>): boolean =>
  parameters === 'lora' && adapterPer === 'turn';

/** Whether one set of weights serves all roles. */
export const isOneForAll = ({ parameters, adapterPer }: Pick<Team, 'parameters' | 'adapterPer'>): boolean =>
  parameters === 'shared' || (parameters === 'lora' && adapterPer === 'run');

/** Maximum number of adapters of a team, one for each turn of a role. */
export const mostTurnAdapters = (team: Team): number => agentCount(team) * mostRounds(team);
