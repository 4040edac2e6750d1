// Every protocol by its name, as settings, files and the page know it.
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

/** In the order of lists; the last is what a visitor writes. */
export const protocolNames: readonly ProtocolName[] = [...found.map(({ name }) => name as NamedProtocol), 'own'];

const protocolTable = Object.fromEntries(found.map((facts) => [facts.name, facts])) as unknown as Record<
  NamedProtocol,
  ProtocolFacts
>;

/** The protocol of a run whose settings name none. */
export const defaultProtocol = 'reMA' satisfies NamedProtocol;

/** The facts of a protocol that a visitor wrote: in steps if somebody finishes it, otherwise of answers. */
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
  protocol === 'own' ? ownFacts(own) : protocolTable[protocol];

type Claim = (facts: ProtocolFacts) => boolean | undefined;

/** The protocols with a name of which a claim is true; of a written one it is true where it is of its kin. */
export const protocolsWhere = (is: Claim): NamedProtocol[] => found.filter(is).map(({ name }) => name as NamedProtocol);

/** The first of them: what is offered where another one does not fit. */
export const protocolWhere = (is: Claim): NamedProtocol => protocolsWhere(is)[0] ?? defaultProtocol;

/** One agent that answers at once: what all others are measured against. */
export const soloProtocol = protocolWhere(({ standsFor }) => standsFor === 'alone');

function kindOf({ agents }: OwnProtocol, { hasSteps, isDebate }: ProtocolFacts): OwnKind {
  if (hasSteps) return 'steps';
  if (agents.length === 1) return 'alone';
  return isDebate ? 'heard' : 'unheard';
}

/** The protocol with a name that one behaves like in all that other settings ask of it: the named one itself. */
export function kinOf(talk: Talk): NamedProtocol {
  if (talk.protocol !== 'own') return talk.protocol;
  const kind = kindOf(talk.own, ownFacts(talk.own));
  return protocolWhere(({ standsFor }) => standsFor === kind);
}

/** The facts of that one. */
export const kinFacts = (talk: Talk): ProtocolFacts => protocolTable[kinOf(talk)];

/** Who sees as usual the first or the second of two hidden texts that lead to the answer only together, by protocol. */
export const halfSights = (place: 0 | 1): Partial<Record<ProtocolName, Sight>> =>
  Object.fromEntries(found.flatMap(({ name, halves }) => (halves ? [[name, halves[place]]] : [])));

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
