// The state a run starts from: weights from the shipped warm start, from one trained here, or random.
import type { Config } from '../config/schema.ts';
import { initialWeights } from '../model/parameters.ts';
import { checkpointFormat, type Checkpoint, type NamedArray } from '../records/checkpoint.ts';
import type { RunId } from '../records/ids.ts';
import type { PreferenceText } from '../records/preference.ts';
import { freshAdapters } from './adapters.ts';
import { Gate } from './gate.ts';
import { expectPairs, learnsFromImports } from './importedPairs.ts';
import { learners } from './learners/registry.ts';
import { freshMixing } from './mixingLearning.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork } from './network.ts';
import { assembleTeam } from './team.ts';
import { trainWarmStart } from './warmStart.ts';

export interface StartRequest {
  config: Config;
  runId: RunId;
  backend: string;
  /** The shipped weights of a configuration. Throws ConfigError when there are none. */
  loadShipped: (config: Config) => Promise<NamedArray[]>;
  /** Imported preference pairs; kept where the configuration asks for them. Throws FormatError for one it cannot use. */
  pairs?: PreferenceText[];
  /** Where the warm start may be broken off. */
  gate?: Gate;
  onProgress: (label: string, share: number, loss: number) => void;
}

/** Iteration 0 of a run; the warm start is also the frozen reference. */
export async function startingCheckpoint(request: StartRequest): Promise<Checkpoint> {
  const { config } = request;
  const team = assembleTeam(config);
  const { critic } = learners[config.learning.learner];
  if (request.pairs && learnsFromImports(team)) expectPairs(request.pairs, team);
  const weights = await startingWeights(request);
  const isAdapted = config.agents.parameters === 'lora';
  return {
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
    ...(isAdapted && { base: copyOf(weights[0] ?? []) }),
    ...(config.verifier.isTrained && {
      verifier: { network: freshState(copyOf(weights[0] ?? []), team.shape, true), answers: [] },
    }),
    ...(critic === 'mixing' && { mixing: freshMixing(team, copyOf(weights[0] ?? [])) }),
    ...(critic === 'joint' && { critics: [freshState(copyOf(weights[0] ?? []), team.shape, true)] }),
    reference: isAdapted ? [] : weights.map(copyOf),
    ...(request.pairs && learnsFromImports(team) && { pairs: request.pairs }),
    klCoef: config.kl.coef,
    sampledTokens: 0,
  };
}

const copyOf = (arrays: readonly NamedArray[]) => arrays.map((array) => ({ ...array, values: array.values.slice() }));

/** Those who exchange roles must know all of them, and adapters have one base: one network, which is their one reference. */
const isOneStart = ({ agents, learning }: Config) =>
  agents.swapEvery > 0 || agents.parameters === 'lora' || learning.learner === 'cory';

/** Weights of each network, or of the one that all are copies of. */
async function startingWeights({
  config,
  loadShipped,
  gate = new Gate(),
  onProgress,
}: StartRequest): Promise<NamedArray[][]> {
  const separate = assembleTeam(config);
  const team = isOneStart(config) ? { ...separate, agentsOf: [[...separate.protocol.roles.keys()]] } : separate;
  const shapeOf = (n: number) => team.shapes[n] ?? team.shape;
  const random = team.agentsOf.map((_, n) => initialWeights(shapeOf(n), config.run.seed, n));
  if (config.warmStart.source === 'none') return random;
  if (config.warmStart.source === 'shipped') {
    const shipped = await loadShipped(config);
    return team.agentsOf.map(() => copyOf(shipped));
  }
  const networks = random.map((weights, n) => uploadNetwork(freshState(weights, shapeOf(n), false), shapeOf(n)));
  try {
    await trainWarmStart(team, networks, {
      gate,
      onStep: (step, loss) => onProgress('Warm start', step / config.warmStart.steps, loss),
    });
    return (await Promise.all(networks.map(downloadNetwork))).map((state) => state.weights);
  } finally {
    for (const network of networks) disposeNetwork(network);
  }
}
