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

/** The names of all protocols, sorted by `order`; the last one is the visitor's own protocol. */
export const protocolNames: readonly ProtocolName[] = [...found.map(({ name }) => name as NamedProtocol), 'own'];

const protocolTable = Object.fromEntries(found.map((facts) => [facts.name, facts])) as unknown as Record<
  NamedProtocol,
  ProtocolFacts
>;

/** The protocol of a run whose settings do not specify one. */
export const defaultProtocol = 'reMA' satisfies NamedProtocol;

/**
 * The facts of a protocol that a visitor wrote. If an agent can end the dialogue, turns are steps; otherwise they are
 * answers.
 */
function ownFacts({ agents, order, answer, finisher, context }: OwnProtocol): ProtocolFacts {
  const hasSteps = finisher !== null;
  const heard = [...agents.keys()].filter((agent) => agents.some(({ hears }) => hears.includes(agent)));
  const messengers = hasSteps ? heard.filter((agent) => agents[agent]?.role === 'metaThinking') : heard;
  const hasMessages = messengers.length > 0;
  return {
    label: 'Your own',
    meaning:
      'You decide which agents there are, who speaks when and who hears whom. Draw the protocol here or write it in a run file.',
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

/** The facts of the protocol in these settings, whether they contain its name or a visitor's record. */
export const chosenProtocol = ({ protocol, own }: ProtocolChoice): ProtocolFacts =>
  protocol === 'own' ? ownFacts(own) : protocolTable[protocol];

type Claim = (facts: ProtocolFacts) => boolean | undefined;

/**
 * The built-in protocols that meet a condition. A protocol that a visitor wrote meets it if the built-in protocol of
 * the same kind does.
 */
export const protocolsWhere = (is: Claim): NamedProtocol[] => found.filter(is).map(({ name }) => name as NamedProtocol);

/** The first protocol that meets a condition. This protocol is offered when the chosen protocol cannot be used. */
export const protocolWhere = (is: Claim): NamedProtocol => protocolsWhere(is)[0] ?? defaultProtocol;

/** The protocol with one agent that answers immediately. This protocol is the baseline for all others. */
export const soloProtocol = protocolWhere(({ standsFor }) => standsFor === 'alone');

function kindOf({ agents }: OwnProtocol, { hasSteps, isDebate }: ProtocolFacts): OwnKind {
  if (hasSteps) return 'steps';
  if (agents.length === 1) return 'alone';
  return isDebate ? 'heard' : 'unheard';
}

/**
 * The built-in protocol whose rules in other settings apply to this protocol. For a visitor's protocol, it is the
 * built-in one of the same kind; a built-in protocol is returned unchanged.
 */
export function kinOf(choice: ProtocolChoice): NamedProtocol {
  if (choice.protocol !== 'own') return choice.protocol;
  const kind = kindOf(choice.own, ownFacts(choice.own));
  return protocolWhere(({ standsFor }) => standsFor === kind);
}

/** The facts of the built-in protocol that `kinOf` returns. */
export const kinFacts = (choice: ProtocolChoice): ProtocolFacts => protocolTable[kinOf(choice)];

/**
 * For the protocols with `halves`, the agents that by default see the first or the second of two hidden texts that give
 * the answer only together.
 */
export const halfSights = (place: 0 | 1): Partial<Record<ProtocolName, Sight>> =>
  Object.fromEntries(found.flatMap(({ name, halves }) => (halves ? [[name, halves[place]]] : [])));

/** Examples of the two kinds of protocol that a visitor can write: one with steps, and one with answers. */
const ownKinds = [plannedPair, { ...plannedPair, finisher: null }].map(ownFacts);

/**
 * Turns a condition on protocols into a test of the setting `agents.protocol`. The test lists the protocols that meet
 * the condition, including `own` if a visitor's protocol can meet it. If fewer protocols fail the condition, the test
 * excludes those instead.
 */
export function protocolIs(claim: Claim): Demand {
  const named: readonly ProtocolName[] = protocolsWhere(claim);
  const are = ownKinds.some(claim) ? [...named, 'own' as const] : named;
  const others = protocolNames.filter((name) => !are.includes(name));
  return others.length < are.length ? { not: others } : are;
}

const textsOf = (text: 'label' | 'meaning') =>
  Object.fromEntries(
    protocolNames.map((name) => [name, chosenProtocol({ protocol: name, own: plannedPair })[text]]),
  ) as Record<ProtocolName, string>;

/** The label of each protocol on the page, and its meaning in one sentence. */
export const protocolLabels = textsOf('label');
export const protocolMeanings = textsOf('meaning');

/** Whether a setting determines the number of agents. */
export const isCounted = ({ roles }: ProtocolFacts): boolean => roles(2).length !== roles(3).length;
/** Whether the team always has several agents, whatever number is set. */
export const isTeam = ({ roles }: ProtocolFacts): boolean => roles(2).length > 1;
/** Whether at least one agent hears another. */
export const hasMessages = ({ messengers }: ProtocolFacts): boolean => messengers([0, 1]).length > 0;
/** Whether all agents give answers, and each hears all others. */
export const isHeardByAll = (facts: ProtocolFacts): boolean => isTeam(facts) && !facts.hasSteps && !facts.hears;
/** Whether agents answer, hear other answers, and answer again. */
export const hasSecondAnswers = ({ isOneRound, hasSteps }: ProtocolFacts): boolean => !isOneRound && !hasSteps;

/** The settings of a run that determine its team. */
interface Team extends ProtocolChoice {
  count: number;
  roundLimit: number;
  parameters: (typeof parameterModes)[number];
  adapterPer: (typeof adapterOwners)[number];
}

/** Number of agents of a team. */
export const agentCount = (team: ProtocolChoice & Pick<Team, 'count'>): number =>
  chosenProtocol(team).roles(team.count).length;

/** Maximum number of turns of an agent in a dialogue, at any level. */
export function mostRounds(team: ProtocolChoice & Pick<Team, 'roundLimit'>): number {
  const { isOneRound, rounds } = chosenProtocol(team);
  return isOneRound ? 1 : team.roundLimit || rounds;
}

/** Maximum number of sets of agents that speak at the same time, counted over a whole dialogue. */
export const mostSets = (team: ProtocolChoice & Pick<Team, 'roundLimit'>): number =>
  mostRounds(team) * chosenProtocol(team).round([0, 1]).length;

/** Whether each turn of a role has its own adapter. */
export const hasTurnAdapters = ({ parameters, adapterPer }: Pick<Team, 'parameters' | 'adapterPer'>): boolean =>
  parameters === 'lora' && adapterPer === 'turn';

/** Whether one set of weights serves all roles. */
export const isOneForAll = ({ parameters, adapterPer }: Pick<Team, 'parameters' | 'adapterPer'>): boolean =>
  parameters === 'shared' || (parameters === 'lora' && adapterPer === 'run');

/** Maximum number of adapters of a team, one for each turn of a role. */
export const mostTurnAdapters = (team: Team): number => agentCount(team) * mostRounds(team);
