// Continues a run with other settings, as an arm of an experiment. All weights, moments, references and memories that
// the new settings still use are kept, so that all arms start from the same state. Parts that only the new settings
// need, such as a critic, begin as in a new run that starts from these weights.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { criticCount, criticOf, factsOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { initialValueHead } from '../../model/network/valueHead.ts';
import type { Checkpoint, MixingState, NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import type { CriticState } from '../../records/stored/criticMemory.ts';
import type { RunId } from '../../records/ids.ts';
import { criticMemory } from '../critics/criticMemory.ts';
import { freshMixing, replayLimits } from '../critics/mixingLearning.ts';
import { mixingReplay } from '../critics/mixingRows.ts';
import { learnsFromImports } from '../imitation/importedPairs.ts';
import { freshState } from '../team/network.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { teamAfter } from './curriculum.ts';
import { freshCritics } from './start.ts';

/**
 * A checkpoint with the new settings, which shares no arrays with `checkpoint`. Throws ConfigError if the networks of
 * the run cannot be used with these settings.
 */
export function withOtherSettings(checkpoint: Checkpoint, config: Config, runId: RunId): Checkpoint {
  const before = assembleTeam(checkpoint.config);
  refuseOtherNetworks(before, assembleTeam(config));
  const team = teamAfter(before, config);
  const { critics, criticStates, mixing, verifier, pairs, ...kept } = structuredClone(checkpoint);
  const weights = checkpoint.base ? [checkpoint.base] : checkpoint.networks.map((network) => network.weights);
  const isSameCritic =
    criticOf(config) === criticOf(checkpoint.config) && config.learning.learner === checkpoint.config.learning.learner;
  const hasHead = criticOf(config) === 'head';
  const isSameOptimiser = config.optimiser.method === checkpoint.config.optimiser.method;
  return {
    ...kept,
    ...{ config, runId },
    networks: kept.networks
      .map((network, n) => withHead(network, team.shapes[n] ?? team.shape, hasHead))
      .map((network) => (isSameOptimiser ? network : withoutMoments(network))),
    ...(criticCount(config) > 0 &&
      (isSameCritic && critics
        ? { critics, ...(criticStates && { criticStates: criticStates.map(refitted(checkpoint.config, config)) }) }
        : { critics: freshCritics(team, weights) })),
    ...(criticOf(config) === 'mixing' && {
      mixing:
        isSameCritic && mixing
          ? mixingWith(mixing, { before, team, trunk: weights[0] ?? [] })
          : freshMixing(team, copyOf(weights[0] ?? [])),
    }),
    ...(config.verifier.isTrained && {
      verifier: verifier ?? { network: freshState(copyOf(weights[0] ?? []), team.shape, true), answers: [] },
    }),
    ...(pairs && learnsFromImports(team) && { pairs }),
    klCoef: isSameWeight(config.kl, checkpoint.config.kl) ? checkpoint.klCoef : config.kl.coef,
  };
}

/**
 * Returns a function that changes the state of a critic so that its memory has the new size. The memory is emptied if
 * the critic's steps change from tokens to turns or back.
 */
function refitted(before: Config, config: Config) {
  const [size, isOther] = [config.learning.criticMemory, config.learning.gaeLevel !== before.learning.gaeLevel];
  return ({ memory, scale }: CriticState): CriticState => {
    const kept = criticMemory(before.learning.criticMemory, memory);
    // The memory of a joint critic is never emptied, because its steps are always turns.
    const isForgotten = isOther && criticOf(config) === 'network';
    return { memory: (isForgotten ? criticMemory(size) : kept.resized(size)).state(), scale };
  };
}

/**
 * Changes the size of a mixing critic's replay memory. If the width of its mixer changes, the critic itself is replaced
 * by a new one.
 */
function mixingWith(
  mixing: MixingState,
  { before, team, trunk }: { before: Team; team: Team; trunk: readonly NamedArray[] },
): MixingState {
  const { learning } = team.config;
  const isSameMixer = !factsOf(team.config).hasMixer || learning.mixerHidden === before.config.learning.mixerHidden;
  const replay = mixingReplay(replayLimits(before), mixing.replay).resized(learning.replaySize).state();
  return { ...(isSameMixer ? mixing : freshMixing(team, copyOf(trunk))), replay };
}

/** Whether the run can keep its current KL coefficient, which may have been adapted during training. */
const isSameWeight = (one: Config['kl'], other: Config['kl']) =>
  one.coef === other.coef && one.isAdaptive === other.isAdaptive;

const copyOf = (arrays: readonly NamedArray[]) => arrays.map((array) => ({ ...array, values: array.values.slice() }));

/**
 * The network with a value head of zeros, or without a head. If the network already has the requested form, it is
 * returned unchanged.
 */
function withHead(network: NetworkState, shape: ModelShape, hasHead: boolean): NetworkState {
  if (network.critic.length > 0 === hasHead) return network;
  const critic = hasHead ? initialValueHead(shape) : [];
  const moments = (of: readonly Float32Array[]) => [
    ...of.slice(0, network.weights.length),
    ...critic.map(({ values }) => new Float32Array(values.length)),
  ];
  return { ...network, critic, m: moments(network.m), v: moments(network.v) };
}

/**
 * Prepares a network for another optimiser. One optimiser cannot use the moments of the other: Muon leaves the second
 * moment of a matrix at 0, and AdamW would divide by its square root. Therefore the moments and the step count for
 * their bias correction are reset.
 */
function withoutMoments(network: NetworkState): NetworkState {
  const zeros = (of: readonly Float32Array[]) => of.map(({ length }) => new Float32Array(length));
  return { ...network, m: zeros(network.m), v: zeros(network.v), updates: 0 };
}

/**
 * Throws ConfigError if the networks of the two teams differ. The length of contexts is not compared, because the
 * shapes of the weights do not depend on it.
 */
function refuseOtherNetworks(before: Team, after: Team): void {
  const layout = ({ config: { agents }, shapes, networkOf }: Team) =>
    JSON.stringify([
      shapes.map((shape) => ({ ...shape, maxPositions: 0 })),
      new Set(networkOf.flat()).size,
      networkOf.length,
      agents.parameters,
      agents.parameters === 'lora' && [agents.loraRank, agents.adapterPer],
    ]);
  if (layout(before) !== layout(after))
    throw new ConfigError(
      spoken`fork: these settings need networks that the run does not have, so the two arms could not start from the same point; change another setting, or train two runs and compare them.`,
    );
}
