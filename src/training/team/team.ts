// A team contains everything that the configuration of a run determines: world, protocol, vocabulary, sizes, and the
// network of each agent.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { refusalError } from '../../config/refusals/rule.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { hasTurnAdapters, isOneForAll } from '../../config/protocols/registry.ts';
import type { Role } from '../../records/ids.ts';
import type { Problem } from '../../records/problem.ts';
import { protocolOf, type Protocol } from '../../records/protocol.ts';
import { DecodingStates } from '../../model/decoding/decodingStates.ts';
import { drawnLevels, limitsOf, rolloutSettings, type RolloutSettings } from '../../rollout/settings.ts';
import { isHeard, viewTokens, vocabularyAt, type ReadInWords, type ViewTokens } from '../../rollout/view.ts';
import { worldOf } from '../../tasks/registry.ts';
import { seated } from '../../tasks/steps/seats.ts';
import type { HeardInWords, World } from '../../tasks/world.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { foreignOf, type ForeignModel } from '../../records/stored/foreignModel.ts';
import { inTokensOf, longestChat, looked, ownTokenizer } from './foreignTokens.ts';
import { worldInWords } from '../../tasks/inWords/worldInWords.ts';
import { readerInWords } from './plainWords.ts';
import { heardShare, networkSize, tokenizersOf } from './heterogeneous.ts';
import { timedWorld, WorldClock } from './worldTime.ts';

export interface Team {
  config: Config;
  world: World;
  /** Measures how long the code of the world runs. */
  clock: WorldClock;
  protocol: Protocol;
  settings: RolloutSettings;
  tokens: ViewTokens;
  /** The tokenizer of the first agent, which is also used to encode whole dialogues, for example for a joint critic. */
  tokenizer: Tokenizer;
  /** The tokenizer of each agent. */
  tokenizers: Tokenizer[];
  /**
   * The shape of the first network. Critics and the verifier that start as copies of the first network have the same
   * shape.
   */
  shape: ModelShape;
  /** The shape of each network. */
  shapes: ModelShape[];
  /**
   * [agent][round] the network of each agent in each round. If roles are exchanged, this table is the assignment before
   * the first exchange. If each turn has a separate network, networks are numbered in speaking order: round by round,
   * then agent by agent.
   */
  networkOf: number[][];
  /** The agents that use each network. */
  agentsOf: number[][];
  /** The third-party model that all agents use; absent if there is no such model. */
  foreign?: ForeignModel;
  /**
   * The number of tokens in the longest possible context. A third-party model may support only shorter contexts
   * (`shapes`).
   */
  longestContext: number;
  /** The maximum number of sampled tokens of one agent in one dialogue. */
  maxActionTokens: number;
  prompt: (problem: Problem, agent: number) => number[];
}

/**
 * Converts a configuration into a team, without creating tensors. The world and the protocol can be passed directly,
 * because custom ones cannot be found by name. If the team of a run is replaced, the new team gets the `clock` of the
 * old team.
 */
export function assembleTeam(
  config: Config,
  asked: World = worldOf(config),
  wanted: Protocol = { ...protocolOf(config.agents, asked), ...(config.verifier.decides && { isDecided: true }) },
  clock = new WorldClock(),
): Team {
  const foreign = foreignOf(config);
  const { inWords } = asked;
  if (foreign && config.agents.inWords && !inWords)
    throw new Error('the prompts are not loaded; call readyWorlds first');
  const talks = foreign && inWords && config.agents.inWords ? worldInWords({ ...asked, inWords }, wanted) : null;
  if (talks && wanted.hasFeedback) throw toldInWords(asked);
  const protocol: Protocol = talks ? { ...wanted, context: 'fresh' } : wanted;
  const readChat = talks && foreign ? readerInWords({ world: talks, config, protocol: wanted }, foreign) : undefined;
  const world = seated(foreign ? inTokensOf(talks ?? asked, foreign, readChat) : asked, protocol);
  const timed = timedWorld(world, clock);
  const settings = rolloutSettings(config, world, protocol);
  const tokenizers = tokenizersOf(config.agents, world, protocol.roles.length);
  const [tokenizer] = tokenizers as [Tokenizer];
  const tokens = viewTokens(
    protocol,
    tokenizers,
    readChat && { inWords: readChat, isRecent: wanted.context === 'fresh' },
  );
  const rounds = [...protocol.roles.keys()].map((agent) => roundLength(agent, { protocol, settings, tokens }));
  const { promptWindow } = limitsOf(config, world, protocol);
  // A fresh context contains the messages of one round, followed by the turn of the agent in this context.
  const turns = protocol.roles.map((role) => tokens.headers[role].length + settings.windows[role]);
  const said = readChat
    ? chatLength(config, world, { protocol, settings, tokens, readChat })
    : protocol.context
      ? Math.max(...rounds.map((length, agent) => length + (turns[agent] as number)))
      : settings.roundLimit * Math.max(...rounds);
  const longest = promptWindow + (settings.observationWindow ?? 0) + said;
  const maxPositions = Math.min(Math.ceil(longest / 16) * 16, foreign?.shape.maxPositions ?? Infinity);
  const networkOf = networkTable(config.agents, protocol.roles.length, settings.roundLimit);
  const agentsOf = speakersOf(networkOf);
  const shapes = agentsOf.map(([agent = 0]) => {
    const { vocabSize } = tokenizers[agent] as Tokenizer;
    return { ...(foreign?.shape ?? { ...networkSize(config.agents, agent), vocabSize }), maxPositions };
  });
  return {
    config,
    world: timed,
    clock,
    protocol,
    settings,
    tokenizer,
    tokenizers,
    tokens,
    shape: shapes[0] as ModelShape,
    shapes,
    networkOf,
    agentsOf,
    ...(foreign && { foreign }),
    longestContext: longest,
    maxActionTokens: settings.roundLimit * Math.max(...protocol.roles.map((role) => settings.windows[role])),
    prompt: (problem, agent) =>
      tokens.inWords?.(problem, agent, []) ??
      (tokenizers[agent] as Tokenizer).encode(timed.view(problem, protocol.sees[agent] ?? [])),
  };
}

/**
 * The tokenizer for displaying an agent's context. If agents talk in plain words, this is the model's own tokenizer.
 */
export const shownTokenizer = ({ tokens, foreign, tokenizers }: Team, agent: number): Tokenizer =>
  tokens.inWords && foreign ? ownTokenizer(foreign) : (tokenizers[agent] as Tokenizer);

/** The team in an iteration (from 0). If roles are exchanged, the network of each agent depends on the iteration. */
export function teamAt(team: Team, iteration: number): Team {
  const { swapEvery } = team.config.agents;
  if (swapEvery === 0) return team;
  const players = networkOfAgents(iteration, { agents: team.networkOf.length, swapEvery });
  const networkOf = players.map((player) => team.networkOf[player] as number[]);
  return { ...team, networkOf, agentsOf: speakersOf(networkOf) };
}

/**
 * The index of the network from which critic number `n` is copied at the start. This is the first network of agent `n`.
 * A critic for all agents has number 0.
 */
export const networkOfCritic = ({ networkOf }: Pick<Team, 'networkOf'>, n: number): number =>
  networkOf[n]?.[0] as number;

/** [agent][round] the network that speaks for each agent in each round. No other code decides this. */
function networkTable(of: Config['agents'], agents: number, rounds: number): number[][] {
  const networkAt = (agent: number, round: number) => {
    if (isOneForAll(of)) return 0;
    return hasTurnAdapters(of) ? round * agents + agent : agent;
  };
  return Array.from({ length: agents }, (_, agent) =>
    Array.from({ length: rounds }, (__, round) => networkAt(agent, round)),
  );
}

/** The agents that use each network. */
function speakersOf(networkOf: Team['networkOf']): number[][] {
  const agents = [...networkOf.keys()];
  return Array.from({ length: Math.max(...networkOf.flat()) + 1 }, (_, n) =>
    agents.filter((agent) => networkOf[agent]?.includes(n)),
  );
}

/**
 * The maximum number of tokens that a round adds to an agent's row. With different vocabularies, the number is computed
 * for an agent that hears all messages.
 */
function roundLength(
  agent: number,
  { protocol, settings, tokens }: Pick<Team, 'protocol' | 'settings' | 'tokens'>,
): number {
  const told = protocol.hasFeedback ? Math.max(...tokens.feedback.map(({ length }) => length)) : 0;
  const speakers = protocol.round.flat();
  const answered = speakers.length * (settings.observationWindow ?? 0);
  return speakers
    .filter((speaker) => speaker === agent || tokens.ofAgents || isHeard(speaker, agent, tokens))
    .map((speaker) => {
      const window = settings.windows[protocol.roles[speaker] as Role] * heardShare(tokens, speaker, agent);
      const header = vocabularyAt(tokens, agent).headers[protocol.roles[speaker] as Role].length;
      return header + window + 1 + told; // one more token, because a truncated turn gets an end token
    })
    .reduce((sum, length) => sum + length, answered);
}

/** If a sampled byte is not valid text, its listeners read a replacement character instead, which has several bytes. */
const heardInWords = 2;

/**
 * The maximum number of tokens of a chat after its first prompt, including the current turn. A message that is heard
 * may have more tokens than were sampled, because its text is tokenized again.
 */
function chatLength(
  config: Config,
  world: World,
  { protocol, settings, tokens, readChat }: Pick<Team, 'protocol' | 'settings' | 'tokens'> & { readChat: ReadInWords },
): number {
  const rounds = tokens.isRecent ? 1 : settings.roundLimit;
  const observed = settings.observationWindow ?? 0;
  const windowOf = (agent: number) => settings.windows[protocol.roles[agent] as Role];
  const heardBy = (agent: number) =>
    Array.from({ length: rounds }, () => protocol.round.flat())
      .flat()
      .filter((speaker) => speaker === agent || isHeard(speaker, agent, tokens));
  const empty = (agent: number) =>
    heardBy(agent).flatMap((speaker): HeardInWords[] => {
      const message = { role: protocol.roles[speaker] as Role, agent: speaker, isOwn: speaker === agent, text: '' };
      return observed > 0 ? [message, { ...message, isOwn: false, isWorld: true }] : [message];
    });
  const said = [...protocol.roles.keys()].map((agent) =>
    heardBy(agent).reduce((sum, speaker) => sum + heardInWords * windowOf(speaker) + observed, windowOf(agent)),
  );
  const around = drawnLevels(config).map((level) => {
    const problems = world.heldOut(level, looked);
    return longestChat(problems, protocol, readChat, empty) - longestChat(problems, protocol, readChat);
  });
  return Math.max(...said) + Math.max(...around);
}

const toldInWords = ({ label }: World) =>
  refusalError({
    ...{ path: 'agents.feedback', remedies: [{ 'agents.feedback': false }] },
    says: spoken`the vocabulary of ${label} has no words for feedback on answers`,
  });

/**
 * The number of exchanges before iteration `iteration` (from 0). Roles are exchanged every `swapEvery` iterations, or
 * never if `swapEvery` is 0.
 */
export function exchangesBefore(iteration: number, swapEvery: number): number {
  if (!Number.isInteger(swapEvery) || swapEvery < 0)
    throw new ConfigError(`swapEvery: expected a whole number of iterations (0 means never), got ${swapEvery}; use 5.`);
  return swapEvery === 0 ? 0 : Math.floor(iteration / swapEvery);
}

/**
 * The network that speaks for each agent in an iteration (from 0). For agent a, this is network (a + exchanges) mod
 * agents. Networks keep their index and their optimiser state. Only the assignment of networks to agents changes. The
 * assignment depends only on the iteration, so a resumed run continues like an uninterrupted one. Throws the same
 * errors as `exchangesBefore`.
 */
export function networkOfAgents(
  iteration: number,
  { agents, swapEvery }: { agents: number; swapEvery: number },
): number[] {
  const exchanges = exchangesBefore(iteration, swapEvery);
  return Array.from({ length: agents }, (_, agent) => (agent + exchanges) % agents);
}

/**
 * The decoding caches for a team. Between dialogues, the caches use at most `mostBytes` bytes. The caller must dispose
 * of the caches.
 */
export function roomsOf({ config, agentsOf }: Pick<Team, 'config' | 'agentsOf'>, mostBytes?: number): DecodingStates {
  return new DecodingStates(config.run.capture, hasTurnAdapters(config.agents) ? agentsOf.length : 0, mostBytes);
}
