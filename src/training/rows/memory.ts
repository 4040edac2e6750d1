// Computes the memory that a run keeps between steps, and the memory that remains for a step. Every function that
// processes many rows together limits the number of rows so that they fit into the remaining memory (dialoguesAtOnce,
// updateTokens, scoringTokens).
import type { Settings } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { factsOf } from '../../config/learners/registry.ts';
import { mostRounds } from '../../config/protocols/registry.ts';
import { refusalError } from '../../config/refusals/rule.ts';
import { blockBytes, fixedMemoryBytes, memoryBytes, usualMemoryBytes } from '../../engine/memory.ts';
import { sessionBytes, type DecodingMemory } from '../../model/decoding/decoder.ts';
import { ownTensors, type WeightTree } from '../../model/network/parameters.ts';
import { updateBytes } from './microbatches.ts';
import { variables, type Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

/** The tensors of a run that stay in memory between steps. */
interface Kept {
  networks: readonly Network[];
  critics?: readonly { network: Network }[];
  verifier?: { network: Network };
  mixing?: { critic: Network; target: { tree: WeightTree } };
  references?: readonly WeightTree[];
  base?: WeightTree;
}

const floatBytes = 4;
/** The share of memory that can be used; the rest is lost because blocks of different sizes leave gaps. */
const usableShare = 0.8;
/** Dialogues may use this share of the remaining memory, because caches grow and their rows have unequal lengths. */
const dialogueShare = 0.5;
const mebibyte = 2 ** 20;

/** Sets `roomBytes` of every network to the memory that remains after subtracting everything that the run keeps. */
export function shareMemory(kept: Kept): void {
  const left = usableShare * memoryBytes() - restingBytes(kept) - sumsBytes(kept);
  for (const network of networksOf(kept)) network.roomBytes = left;
}

/** The bytes of everything that a run keeps from its beginning: weights, moments and references. */
export function restingBytes(kept: Kept): number {
  const { mixing, references = [], base } = kept;
  const trees = [...references, ...(mixing ? [mixing.target.tree] : []), ...(base ? [base] : [])];
  const ofNetworks = networksOf(kept).map((network) => 3 * bytesOf(variables(network)));
  const ofTrees = [...new Set(trees)].map((tree) => bytesOf(ownTensors(tree, tree === base ? undefined : base)));
  return sum([...ofNetworks, ...ofTrees]);
}

/**
 * The bytes of the gradient sums. The sums are allocated in the first step that is split into microbatches, and then
 * kept.
 */
function sumsBytes(kept: Kept): number {
  return sum(networksOf(kept).map((network) => bytesOf(variables(network))));
}

/** The bytes of the gradient sums that have not been allocated yet. */
export function sumsToCome(kept: Kept): number {
  return sum(networksOf(kept).map((network) => (network.sums ? 0 : bytesOf(variables(network)))));
}

/** The memory limits of a team's dialogues. */
export function decodingMemory(
  { networkOf }: Pick<Team, 'networkOf'>,
  { roomBytes = Infinity }: Network,
): DecodingMemory {
  const unusualBytes = usableShare * Math.max(0, memoryBytes() - usualMemoryBytes());
  return {
    bytes: dialogueShare * roomBytes,
    usualBytes: dialogueShare * (roomBytes - unusualBytes),
    sessions: networkOf.length,
  };
}

/**
 * Throws ConfigError if the remaining memory is too small to sample a single dialogue, or to learn from those of its
 * rows that must be in one microbatch.
 */
export function refuseWithoutRoom(kept: Kept & { team: Team }): void {
  const { team, networks } = kept;
  const lacking = Math.max(...networks.map((network, n) => lackingBytes(team, network, n)));
  if (lacking > 0) refuse(team, memoryBytes() + lacking / usableShare);
}

/** The bytes that network `n` needs for a single dialogue, minus the bytes that remain. */
function lackingBytes(team: Team, network: Network, n: number): number {
  const { shape, roomBytes = Infinity } = network;
  const ofDialogue = sessionBytes(shape, team.networkOf.length) * team.config.agents.candidates;
  const { fixed, each } = updateBytes(network, shape.maxPositions);
  const ofUpdate = fixed + rowsTogether(team, n) * shape.maxPositions * each;
  return Math.max(ofDialogue / dialogueShare, ofUpdate) - roomBytes;
}

/**
 * The largest number of rows of network `n` that must be in one microbatch, because they have a common ratio or belong to
 * the two dialogues of a pair.
 */
export function rowsTogether({ config, protocol, settings, agentsOf }: Team, n: number): number {
  // With a fresh context, each turn of an agent is a row.
  const ofAgent = protocol.context === 'fresh' ? settings.roundLimit : 1;
  const ofDialogue = ofAgent * (agentsOf[n]?.length ?? 1);
  if (factsOf(config).loss === 'preference') return 2 * ofDialogue;
  return { token: 1, turn: 1, trajectory: ofAgent, dialogue: ofDialogue }[config.learning.ratioLevel];
}

/** Throws ConfigError if the memory has a fixed size and the run is predicted to need more than nine tenths of it. */
export function refuseTooLarge({ team }: { team: Team }, neededBytes: number): void {
  if (neededBytes > 0.9 * (fixedMemoryBytes() ?? Infinity)) refuse(team, neededBytes);
}

function refuse({ config: { agents, world }, foreign }: Team, neededBytes: number): never {
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / mebibyte)} MiB`;
  const ways: [isOpen: boolean, settings: Settings][] = [
    [!foreign && agents.size !== 'tiny' && agents.size !== 'micro', { 'agents.size': 'tiny' }],
    [agents.parameters === 'separate', { 'agents.parameters': 'shared' }],
    [world.level > 1, { 'world.level': 1 }],
    [mostRounds(agents) > 1, { 'agents.roundLimit': 1 }],
    [!foreign, { 'agents.size': 'micro' }],
    [true, { 'agents.start': 'warmStart' }],
  ];
  const says = spoken`${foreign?.label ?? agents.size} on level ${world.level} needs at least ${mebibytes(neededBytes)} of memory, but this engine has ${mebibytes(memoryBytes())}`;
  const remedies = ways.filter(([isOpen]) => isOpen).map(([, settings]) => settings);
  throw refusalError({ path: foreign ? 'agents.start' : 'agents.size', says, remedies: remedies.slice(0, 1) });
}

/** All networks of the run that are trained. */
export function networksOf({ networks, critics = [], verifier, mixing }: Kept): Network[] {
  const ofCritics = critics.map(({ network }) => network);
  return [...networks, ...ofCritics, ...(verifier ? [verifier.network] : []), ...(mixing ? [mixing.critic] : [])];
}

/** The number of bytes that these tensors take. */
const bytesOf = (tensors: Iterable<{ size: number }>) =>
  sum(Array.from(tensors, ({ size }) => blockBytes(floatBytes * size)));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
