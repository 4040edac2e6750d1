// Makes the initial state of a run. The initial weights come from the shipped warm start, from a warm start trained in
// this worker, or from a given model. Otherwise, they are random.
import { criticCount, criticOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { teachesAdapters, usesWarmStart } from '../../config/warmStarts.ts';
import { disposeTree, initialWeights } from '../../model/network/parameters.ts';
import { checkpointFormat, type Checkpoint, type NamedArray } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import { isHeldByName } from '../../records/stored/foreignModel.ts';
import { asNamedArray } from '../../records/stored/storedMatrix.ts';
import type { ChatFile } from '../../records/stored/chatFile.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import type { Glimpse } from '../../records/events.ts';
import type { WarmStartStore } from '../../records/stored/warmStart.ts';
import type { World } from '../../tasks/world.ts';
import { adapterScale, freshAdapters, freshState } from '../team/network.ts';
import { baseOf } from './trainState.ts';
import type { Gate } from '../team/gate.ts';
import { expectPairs, learnsFromImports } from '../imitation/importedPairs.ts';
import { freshMixing } from '../critics/mixingLearning.ts';
import { givenWeights, type LoadModel } from './givenWeights.ts';
import { assembleTeam, networkOfCritic, type Team } from '../team/team.ts';
import { warmStartBasis } from '../imitation/warmStartBasis.ts';
import { adaptersTaughtHere, trainedHere, type WarmStartProgress } from '../imitation/trainedHere.ts';

export interface StartRequest {
  config: Config;
  /** The world of the run. If absent, the world in the settings is used. */
  world?: World;
  runId: RunId;
  backend: string;
  /** The shipped weights of a configuration. Throws ConfigError if there are no shipped weights. */
  loadShipped: (config: Config) => Promise<NamedArray[]>;
  /** Returns the model in the settings; undefined if this model is not available. */
  loadModel?: LoadModel;
  /**
   * The imported preference pairs, which are used only if the run learns from imported pairs. A FormatError is thrown
   * for a pair that the run cannot use.
   */
  pairs?: PreferenceText[];
  /** The file of chats, which is used only if the adapters imitate chats. */
  chats?: ChatFile;
  /** The gate that can interrupt the warm start. */
  gate?: Gate;
  /** Returns true if the training of the warm start should stop after the current step. */
  isLeft?: () => boolean;
  /** The store for warm starts that are trained in this worker. If absent, such warm starts are not stored. */
  warmStarts?: WarmStartStore;
  onProgress?: (progress: WarmStartProgress) => void;
  /** Called with an example dialogue and with attempts of the agents while a warm start is trained. */
  onGlimpse?: (glimpse: Glimpse) => void;
}

/** The checkpoint of a run before its first iteration. The initial weights are also used as the frozen reference. */
export async function startingCheckpoint(request: StartRequest): Promise<Checkpoint> {
  const { config, world } = request;
  const team = assembleTeam(config, world);
  const critic = criticOf(config);
  if (request.pairs && learnsFromImports(team)) expectPairs(request.pairs, team);
  const isAdapted = config.agents.parameters === 'lora';
  const isByName = team.foreign !== undefined && isHeldByName(team.foreign);
  const weights = await startingWeights(request, { team, isByName });
  const begun: Checkpoint = {
    format: checkpointFormat,
    runId: request.runId,
    iteration: 0,
    config,
    backend: request.backend,
    networks: team.agentsOf.map((_, n) =>
      isAdapted
        ? freshAdapters(config, team.shape, { n, ...(critic === 'head' && { critic: [] }) })
        : freshState(copyOf(weights[n] ?? weights[0] ?? []), team.shapes[n] ?? team.shape, critic === 'head'),
    ),
    ...(isAdapted && !isByName && { base: copyOf(weights[0] ?? []) }),
    ...(team.foreign && { foreign: team.foreign }),
    ...(config.verifier.isTrained && {
      verifier: { network: freshState(copyOf(weights[0] ?? []), team.shape, true), answers: [] },
    }),
    ...(critic === 'mixing' && { mixing: freshMixing(team, copyOf(weights[0] ?? [])) }),
    ...(criticCount(config) > 0 && { critics: freshCritics(team, weights) }),
    reference: isAdapted ? [] : weights.map(copyOf),
    ...(request.pairs && learnsFromImports(team) && { pairs: request.pairs }),
    klCoef: config.kl.coef,
    sampledTokens: 0,
  };
  return teachesAdapters(config) ? taught(begun, request) : begun;
}

/** The same checkpoint with adapters that have imitated demonstrations or chats. */
async function taught(begun: Checkpoint, request: StartRequest): Promise<Checkpoint> {
  const { config, world } = request;
  const base = baseOf(begun, assembleTeam(config, world));
  if (!base) return begun;
  try {
    const on = { base, scale: adapterScale(config) };
    return { ...begun, networks: await adaptersTaughtHere(request, { from: begun.networks, on }) };
  } finally {
    disposeTree(base);
  }
}

/**
 * The initial critics that have separate networks. They are copies of the agents' networks with value heads of zeros.
 */
export const freshCritics = (team: Team, weights: readonly NamedArray[][]) =>
  Array.from({ length: criticCount(team.config) }, (_, agent) => {
    const n = networkOfCritic(team, agent);
    return freshState(copyOf(weights[n] ?? weights[0] ?? []), team.shapes[n] as ModelShape, true);
  });

const copyOf = (arrays: readonly NamedArray[]) => arrays.map((array) => ({ ...array, values: array.values.slice() }));

/**
 * The initial weights of each network, or one set of weights if all networks start from the same weights. The list is
 * empty if checkpoints contain only the name of the base model instead of its weights.
 */
async function startingWeights(
  request: StartRequest,
  { team, isByName }: { team: Team; isByName: boolean },
): Promise<NamedArray[][]> {
  const { config } = request;
  const taught = usesWarmStart(config) ? await warmWeights(request) : [];
  if (config.agents.start === 'warmStart' && config.agents.otherStart === 'same') return taught;
  // All adapters have the same base, so only the weights of the first network are needed.
  const needed = config.agents.parameters === 'lora' ? team.agentsOf.slice(0, 1) : team.agentsOf;
  const given = needed.map((_, n) => givenWeights(n, { ...request, team }));
  if (isByName && !startsCopies(config)) return [];
  return given.map((matrices, n) => copyOf(matrices?.map(asNamedArray) ?? taught[n] ?? taught[0] ?? []));
}

/** Whether the weights of a critic or verifier are initially a copy of the agents' weights. */
const startsCopies = (config: Config): boolean =>
  config.verifier.isTrained || criticOf(config) === 'mixing' || criticCount(config) > 0;

/** The weights of the warm start, or random weights if the settings use no warm start. */
async function warmWeights(request: StartRequest): Promise<NamedArray[][]> {
  const { config, loadShipped } = request;
  if (config.warmStart.source === 'train') return trainedHere(request);
  const team = assembleTeam(warmStartBasis(config), request.world);
  if (config.warmStart.source === 'none')
    return team.shapes.map((shape, n) => initialWeights(shape, config.run.seed, n));
  const shipped = await loadShipped(config);
  return team.agentsOf.map(() => copyOf(shipped));
}
