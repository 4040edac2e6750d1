// The training state of a run (networks, references, critics and their memories), and its conversion to a checkpoint
// and back.
import { ConfigError, MissingModelError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { adaptersByProjection, downloadAdapters, type Adapter } from '../../model/network/adapter.ts';
import {
  disposeTree,
  downloadTree,
  uploadFrozen,
  uploadTree,
  type WeightTree,
} from '../../model/network/parameters.ts';
import {
  checkpointFormat,
  type Checkpoint,
  type NamedArray,
  type NetworkState,
  type RunRecord,
} from '../../records/stored/checkpoint.ts';
import { adapterScale, disposeNetwork, downloadNetwork, uploadNetwork, type Network } from '../team/network.ts';
import { disposeReference, downloadReference, uploadReference } from '../team/reference.ts';
import type { Critic } from '../critics/critic.ts';
import { criticMemory } from '../critics/criticMemory.ts';
import { unscaled } from '../maths/valueScale.ts';
import type { DecodingStates } from '../../model/decoding/decodingStates.ts';
import { fileWords, heldWeights, introduceModel } from '../../records/stored/foreignModel.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import type { World } from '../../tasks/world.ts';
import type { Gate } from '../team/gate.ts';
import type { Ledger } from './ledger.ts';
import { networksOf, shareMemory } from '../rows/memory.ts';
import { captureMixing, restoreMixing, type Mixing } from '../critics/mixingLearning.ts';
import { roomsOf, assembleTeam, networkOfCritic, teamAt, type Team } from '../team/team.ts';
import type { Verifier } from '../verifier/trainedVerifier.ts';

/**
 * The training state of a run. Each iteration changes the networks and `klCoef`, and also the references if they are
 * renewed.
 */
export interface TrainState {
  team: Team;
  networks: Network[];
  /** The frozen base weights of all networks' adapters, if they have adapters. */
  base?: WeightTree;
  /** Whether checkpoints contain only the name of the base model, and not its weights. */
  isBaseHeld?: boolean;
  /** The frozen reference of each network, or a single reference for all networks. */
  references: WeightTree[];
  /**
   * The critics that have separate networks: either one critic that reads the messages of all agents, or one critic for
   * each agent.
   */
  critics?: Critic[];
  /** The mixing critic with its replay memory, if the learner uses a mixing critic. */
  mixing?: Mixing;
  /** The verifier, which learns to distinguish right from wrong answers; absent if the run trains no verifier. */
  verifier?: Verifier;
  /** The imported preference pairs, if the run learns from imported pairs. */
  pairs?: readonly PreferenceText[];
  klCoef: number;
  gate: Gate;
  /** The decoding caches that are kept for later dialogues. */
  rooms?: DecodingStates;
  /** The ledger that records how much time the parts of an iteration take. */
  ledger?: Pick<Ledger, 'enter' | 'count'>;
}

/**
 * Uploads everything in a checkpoint that training needs. `world` can replace the world in the settings. The caller
 * frees the result with `disposeTrainState`.
 */
export function restoreTrainState(checkpoint: Checkpoint, gate: Gate, world?: World): TrainState {
  // A model that was registered only in another worker must also be registered in this worker.
  if (checkpoint.foreign) introduceModel(checkpoint.config.agents.start, checkpoint.foreign);
  const team = assembleTeam(checkpoint.config, world);
  const { capture } = checkpoint.config.run;
  const upload = (state: NetworkState): Network => uploadNetwork(state, team.shape, capture);
  const shapeOf = (n: number) => team.shapes[n] ?? team.shape;
  const base = baseOf(checkpoint, team);
  const on = base && { base, scale: adapterScale(checkpoint.config) };
  const trainState = {
    team,
    networks: checkpoint.networks.map((state, n) => uploadNetwork(state, shapeOf(n), capture, on)),
    critics: (checkpoint.critics ?? []).map((state, n): Critic => {
      const { memory, scale = unscaled } = checkpoint.criticStates?.[n] ?? {};
      return {
        network: uploadNetwork(state, shapeOf(networkOfCritic(team, n)), capture),
        memory: criticMemory(checkpoint.config.learning.criticMemory, memory),
        scale,
      };
    }),
    ...(checkpoint.mixing && { mixing: restoreMixing(checkpoint.mixing, team) }),
    ...(base && { base, isBaseHeld: !checkpoint.base }),
    references:
      base && checkpoint.reference.length === 0
        ? [base]
        : checkpoint.reference.map((arrays, n) => uploadReference(arrays, shapeOf(n), on)),
    ...(checkpoint.verifier && {
      verifier: { network: upload(checkpoint.verifier.network), answers: checkpoint.verifier.answers },
    }),
    ...(checkpoint.pairs && { pairs: checkpoint.pairs }),
    klCoef: checkpoint.klCoef,
    gate,
    rooms: roomsOf(team),
  };
  shareMemory(trainState);
  return trainState;
}

/**
 * The base of the adapters. If the checkpoint does not contain the base, it is taken from the model in the settings.
 * Throws ConfigError if this model is not loaded.
 */
export function baseOf({ base, foreign, config }: Checkpoint, { shape }: Team): WeightTree | undefined {
  if (base) return uploadTree(base, shape, { isFrozen: true });
  if (!foreign) return undefined;
  const name = config.agents.start;
  const held = heldWeights(name);
  if (!held)
    throw new MissingModelError(
      spoken`agents.start: the run needs ${fileWords(name, foreign)}, which is not available; open the file of this model.`,
    );
  return uploadFrozen(held, shape);
}

/** The complete state from which the run can continue. May be called only between iterations. */
export async function captureCheckpoint(
  { team, networks, base, isBaseHeld, references, critics = [], mixing, verifier, pairs, klCoef }: TrainState,
  run: RunRecord,
  sampledTokens: number,
): Promise<Checkpoint> {
  return {
    format: checkpointFormat,
    runId: run.id,
    iteration: run.iteration,
    config: team.config,
    backend: run.backend,
    networks: await Promise.all(networks.map(downloadNetwork)),
    ...(critics.length > 0 && {
      critics: await Promise.all(critics.map(({ network }) => downloadNetwork(network))),
      criticStates: critics.map(({ memory, scale }) => ({ memory: memory.state(), scale })),
    }),
    ...(mixing && { mixing: await captureMixing(mixing) }),
    ...(base && !isBaseHeld && { base: await downloadTree(base, team.shape) }),
    ...(team.foreign && { foreign: team.foreign }),
    reference: await Promise.all(
      references
        .filter((tree) => tree !== base)
        .map((tree, n) => downloadReference(tree, team.shapes[n] ?? team.shape)),
    ),
    ...(verifier && {
      verifier: { network: await downloadNetwork(verifier.network), answers: [...verifier.answers] },
    }),
    ...(pairs && { pairs: [...pairs] }),
    klCoef,
    sampledTokens,
  };
}

/**
 * Copies of the weights that an agent uses in an iteration (from 0). Returns one set of weights for all turns of the
 * agent, or one set for each turn, in order. Throws ConfigError for an unknown agent.
 */
export async function agentWeights(
  { team, networks }: TrainState,
  agent: number,
  iteration: number,
): Promise<[NamedArray[], ...NamedArray[][]]> {
  const speaking = [...new Set(teamAt(team, iteration).networkOf[agent])].map((n) => networks[n] as Network);
  if (speaking.length === 0)
    throw new ConfigError(spoken`agent: expected 0 to ${team.networkOf.length - 1}, got ${agent}.`);
  const copies = await Promise.all(speaking.map(({ tree, shape }) => downloadTree(tree, shape)));
  return copies as [NamedArray[], ...NamedArray[][]];
}

/**
 * Copies of an agent's current adapters, in the order of `agentWeights`, and of the frozen weights of their base.
 * Returns null for an agent without adapters. The base is null if checkpoints contain only the name of the base model.
 */
export async function agentAdapters(
  { team, networks, base, isBaseHeld }: TrainState,
  agent: number,
  iteration: number,
) {
  const speaking = [...new Set(teamAt(team, iteration).networkOf[agent])].map((n) => networks[n] as Network);
  if (!base) return null;
  const { shape } = speaking[0] as Network;
  const pairs = speaking.map(async ({ adapter }) =>
    adaptersByProjection(await downloadAdapters(adapter as Adapter), shape),
  );
  return { base: isBaseHeld ? null : await downloadTree(base, shape), pairs: await Promise.all(pairs) };
}

/** Frees all tensors. */
export function disposeTrainState(trainState: TrainState): void {
  const { base, references, mixing, rooms } = trainState;
  rooms?.dispose();
  for (const network of [...networksOf(trainState), ...(mixing ? [mixing.target] : [])]) disposeNetwork(network);
  for (const reference of references) disposeReference(reference, base); // the reference may be the base itself
  if (base) disposeTree(base);
}
