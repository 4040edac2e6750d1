// The warm starts that are shipped with the page, each with the settings with which it was trained.
import { parseShape } from './parse.ts';
import { spoken } from '../base/spoken.ts';
import { defaultProtocol, hasMessages, isCounted, soloProtocol, chosenProtocol } from './protocols/registry.ts';
import { combinationRules } from './refusals/table.ts';
import { refusalError, rules, type RefusalRule } from './refusals/rule.ts';
import type { Config, ConfigInput } from './schema.ts';
import type { WorldForm } from './worlds/form.ts';
import { worldForms, worldNames } from './worlds/registry.ts';

export interface ShippedWarmStart {
  /** The name of the warm start's file in `warmstart/`, without the extension. */
  name: string;
  settings: ConfigInput;
}

type Agents = Config['agents'];

/**
 * The setting for the initial weights of the second and later agents, as a list. If the list is shorter than the number
 * of these agents, its last entry applies to all further ones.
 */
const othersOf = ({ otherStart }: Agents): string[] => otherStart.split(',');

/**
 * The initial weights of an agent, and the setting that determines them. Adapters are always added to the weights of
 * the first agent.
 */
export function startNameOf(
  agents: Agents,
  agent: number,
): { name: string; path: 'agents.start' | 'agents.otherStart' } {
  const others = othersOf(agents);
  const own = agent > 0 && agents.parameters !== 'lora' ? (others[agent - 1] ?? others.at(-1) ?? 'same') : 'same';
  return own === 'same' ? { name: agents.start, path: 'agents.start' } : { name: own, path: 'agents.otherStart' };
}

/** Whether at least one agent starts from the warm start and not from another model. */
export const usesWarmStart = ({ agents }: Pick<Config, 'agents'>): boolean =>
  agents.start === 'warmStart' ||
  (othersOf(agents).includes('warmStart') && ['separate', 'heterogeneous'].includes(agents.parameters));

/** Whether the agents may be adapters to an imported model that reads chats in plain English. */
export const talksInWords = ({ agents }: Pick<Config, 'agents'>): boolean =>
  agents.inWords && agents.parameters === 'lora' && agents.start !== 'warmStart';

/** Whether adapters imitate demonstrations or chats before a run begins. */
export const teachesAdapters = ({ agents, warmStart }: Pick<Config, 'agents' | 'warmStart'>): boolean =>
  warmStart.modelSteps > 0 && agents.parameters === 'lora' && agents.start !== 'warmStart';

/** Whether adapters imitate chats from a file before a run begins. */
export const imitatesChats = (config: Pick<Config, 'agents' | 'warmStart'>): boolean =>
  teachesAdapters(config) && config.warmStart.modelImitates === 'chats';

/** Whether a warm start is trained before a run begins. */
export const trainsWarmStart = (config: Config): boolean =>
  config.warmStart.source === 'train' && usesWarmStart(config);
type Start = Pick<Config, 'world' | 'agents'>;

// Whether the protocol differs from the single-agent protocol only in the number of agents: each agent answers once,
// hears nobody, and sees the hidden texts.
function isAlone(agents: Agents): boolean {
  const facts = chosenProtocol(agents);
  const { isOneRound, isSightFixed, sees } = facts;
  const isSeen = isSightFixed || agents.informed === 'all' || (agents.informed === 'usual' && sees === 'all');
  return isOneRound === true && isSeen && !hasMessages(facts);
}

/** The protocol of the demonstrations on which the initial weights of a team were trained. */
const taughtBy = (agents: Agents) => (isAlone(agents) ? soloProtocol : agents.protocol);

/**
 * A text that differs between teams that need different demonstrations. It contains the number of agents and the agents
 * that see hidden texts, if settings determine these, and the moment at which a finish token ends the dialogue.
 */
function teamOf(agents: Agents): string {
  const facts = chosenProtocol({ ...agents, protocol: taughtBy(agents) });
  return `${isCounted(facts) ? agents.count : ''} ${facts.isSightFixed ? '' : agents.informed} ${agents.finishEnds}`;
}

function nameOf({ world, agents }: Start): string {
  const protocol = taughtBy(agents);
  const isUsual = agents.informed === 'usual' || chosenProtocol({ ...agents, protocol }).isSightFixed;
  const team = [...(protocol === defaultProtocol ? [] : [protocol]), ...(isUsual ? [] : [agents.informed])];
  return [world.name, world.level, agents.size, ...team].join('-');
}

const made = worldNames.flatMap((name) => {
  const { shipped = [] }: WorldForm = worldForms[name];
  return shipped.map((given) => {
    const settings: ConfigInput = { ...given, world: { ...given['world'], name } };
    const config = parseShape(settings);
    return { shipped: { name: nameOf(config), settings }, config };
  });
});

export const shippedWarmStarts: readonly ShippedWarmStart[] = made.map(({ shipped }) => shipped);

/** Describes the part of the settings for which no warm start is shipped; null if one is shipped. */
function lacking(asked: Config): string | null {
  const { world, agents } = asked;
  if (agents.otherSize !== 'same') return `agents.otherSize = ${agents.otherSize}`;
  if (agents.otherVocabulary !== 'same') return `agents.otherVocabulary = ${agents.otherVocabulary}`;
  const ofWorld = made.filter(({ config }) => config.world.name === world.name);
  if (ofWorld.length === 0) return spoken`the world ${world.name}`;
  const ofProtocol = ofWorld.filter(({ config }) => taughtBy(config.agents) === taughtBy(agents));
  if (ofProtocol.length === 0) return spoken`the protocol ${agents.protocol}`;
  const ofTeam = ofProtocol.filter(({ config }) => teamOf(config.agents) === teamOf(agents));
  if (ofTeam.length === 0) return otherTeam(agents);
  if (foundFor(asked)) return null;
  return agents.size === 'tiny' ? spoken`level ${world.level}` : spoken`level ${world.level} at size ${agents.size}`;
}

const otherTeam = ({ protocol, finishEnds }: Agents) =>
  finishEnds === 'afterReply'
    ? spoken`agents that answer after a finish token`
    : spoken`the protocol ${protocol} with this number of agents or with these views of the problem`;

const foundFor = (asked: Start): ShippedWarmStart | undefined =>
  made.find(({ shipped, config }) => shipped.name === nameOf(asked) && teamOf(config.agents) === teamOf(asked.agents))
    ?.shipped;

const warmStartRules = rules([
  {
    path: 'warmStart.source',
    when: (config) => config.warmStart.source === 'shipped' && usesWarmStart(config) && lacking(config) !== null,
    says: (config) => spoken`there is no ready-made warm start for ${lacking(config) ?? ''}`,
    remedies: [{ 'warmStart.source': 'train' }],
  },
]);

/** The rules that can refuse a new run. */
export const startRules: readonly RefusalRule[] = [...combinationRules, ...warmStartRules];

/** The shipped warm start of a configuration; undefined if none was made for it. */
export const findShipped = (config: Config): ShippedWarmStart | undefined =>
  lacking(config) === null ? foundFor(config) : undefined;

/** The shipped warm start of a configuration. Throws ConfigError if there is none. */
export function shippedFor(config: Config): ShippedWarmStart {
  const found = findShipped(config);
  if (found) return found;
  const says = spoken`there is no ready-made warm start for ${lacking(config) ?? ''}`;
  throw refusalError({ path: 'warmStart.source', says, remedies: [{ 'warmStart.source': 'train' }] });
}
