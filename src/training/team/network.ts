// One trainable network: weights, an optional value head, the optimiser's moments, and the number of its optimiser
// steps. `NetworkState` contains the same data as plain arrays.
import * as tf from '@tensorflow/tfjs-core';
import type { Config } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import { Replays } from '../../engine/replay.ts';
import {
  adapterOf,
  adaptedTree,
  adapterVariables,
  downloadAdapters,
  expectAdapters,
  initialAdapters,
  type Adapter,
  type AdapterBase,
} from '../../model/network/adapter.ts';
import { packArrays, unpackArrays } from '../../model/network/packing.ts';
import { downloadTree, downloadVariable, treeOf, type WeightTree } from '../../model/network/parameters.ts';
import { initialValueHead, type ValueHead } from '../../model/network/valueHead.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';

export interface Network {
  shape: ModelShape;
  /**
   * The weights with which messages are sampled. With adapters, these are the weights of the base merged with the
   * adapters.
   */
  tree: WeightTree;
  head: ValueHead | null;
  /**
   * The moments, in the order of `variables(network)`. In `NetworkState`, the moments are in the order of weights and
   * critic. A network that is never updated has no moments.
   */
  m: tf.Variable[];
  v: tf.Variable[];
  updates: number;
  /** The steps of this network that were recorded for replay. */
  replays: Replays;
  /**
   * The memory in bytes that a step may use in addition to the tensors that the run keeps (memory.ts). If absent, there
   * is no limit.
   */
  roomBytes?: number;
  /** Sums of metrics and gradients over microbatches (optimiserStep.ts). */
  sums?: tf.Variable[];
  /**
   * The adapters, if there are any. They are trained instead of the weights, and their base is shared by all networks.
   */
  adapter?: Adapter;
  /** The parameters of a mixing critic's head and mixer by name. A mixing critic has these instead of a value head. */
  further?: ReadonlyMap<string, tf.Variable>;
}

/**
 * The trained variables without those of a value head or mixer. The list contains either all weights in the order of
 * the tree, or the variables of the adapters.
 */
export const speakingVariables = ({ tree, adapter }: Pick<Network, 'tree' | 'adapter'>): tf.Variable[] =>
  adapter ? adapterVariables(adapter) : ([...tree.values()] as tf.Variable[]);

/**
 * All trained variables: first those of `speakingVariables`, then those of the value head, or of the head and mixer of
 * a mixing critic.
 */
export function variables(network: Pick<Network, 'tree' | 'head' | 'adapter' | 'further'>): tf.Variable[] {
  const { head, further } = network;
  return [...speakingVariables(network), ...(head ? [head.weight, head.bias] : []), ...(further?.values() ?? [])];
}

/** The state of a network before its first update. */
export function freshState(weights: NamedArray[], shape: ModelShape, hasCritic: boolean): NetworkState {
  const critic = hasCritic ? initialValueHead(shape) : [];
  const zeros = () => [...weights, ...critic].map(({ values }) => new Float32Array(values.length));
  return { weights, critic, m: zeros(), v: zeros(), updates: 0 };
}

/**
 * Uploads a network. The caller must dispose of the network. With `isReplayed`, steps of equal shape may be recorded
 * and replayed. If a base `on` is given, the weights in `state` are adapters to this base. The caller must also dispose
 * of the base. Throws FormatError if the weights do not fit the shape.
 */
export function uploadNetwork(state: NetworkState, shape: ModelShape, isReplayed = true, on?: AdapterBase): Network {
  const pack = (arrays: readonly NamedArray[]) => (on ? expectAdapters : packArrays)(arrays, shape);
  const packed = pack(state.weights); // all shapes are checked before anything is uploaded
  const parameters = flatVariables([...packed, ...state.critic]);
  const beside = parameters.slice(packed.length);
  const hasFurther = state.critic.length > 2;
  const [weight, bias] = (hasFurther ? [] : beside) as [ValueHead['weight'], ValueHead['bias']] | [];
  const moments = (arrays: readonly Float32Array[]) => {
    if (arrays.length === 0) return [];
    const named = state.weights.map((array, i) => ({ ...array, values: arrays[i] as Float32Array }));
    const ofCritic = state.critic.map((array, i) => ({ ...array, values: arrays[named.length + i] as Float32Array }));
    return flatVariables([...pack(named), ...ofCritic]);
  };
  const adapter = on && adapterOf(parameters, shape, on);
  return {
    shape,
    tree: adapter ? adaptedTree(adapter) : treeOf(packed, parameters),
    ...(adapter && { adapter }),
    head: weight && bias ? { weight, bias } : null,
    ...(hasFurther && { further: new Map(state.critic.map(({ name }, i) => [name, beside[i] as tf.Variable])) }),
    ...{ m: moments(state.m), v: moments(state.v), updates: state.updates },
    replays: new Replays(isReplayed),
  };
}

/** Copies the network's state with all of its arrays. */
export async function downloadNetwork(network: Network): Promise<NetworkState> {
  const { head, shape, tree, adapter, further = new Map<string, tf.Variable>() } = network;
  const arrays = async (moments: tf.Variable[]) => {
    const all = await Promise.all(moments.map(async (moment) => (await moment.data<'float32'>()).slice()));
    if (adapter || all.length === 0) return all;
    return [...unpackArrays(all, shape).map(({ values }) => values), ...all.slice(tree.size)];
  };
  return {
    weights: adapter ? await downloadAdapters(adapter) : await downloadTree(tree, shape),
    critic: head
      ? [await downloadVariable('value_head.weight', head.weight), await downloadVariable('value_head.bias', head.bias)]
      : await Promise.all([...further].map(([name, variable]) => downloadVariable(name, variable))),
    m: await arrays(network.m),
    v: await arrays(network.v),
    updates: network.updates,
  };
}

export function disposeNetwork(network: Network): void {
  network.replays.dispose();
  tf.dispose(network.sums ?? []);
  tf.dispose([...variables(network), ...network.m, ...network.v]);
}

/** The scale of adapters: α/r. */
export const adapterScale = ({ agents }: Config) => agents.loraAlpha / agents.loraRank;

/**
 * The state of network number `n` with untrained adapters. `critic` is the network's initial value head, if it has one.
 */
export function freshAdapters(
  config: Config,
  shape: ModelShape,
  { n, critic }: { n: number; critic?: readonly NamedArray[] },
): NetworkState {
  const adapters = initialAdapters(shape, { rank: config.agents.loraRank, seed: config.run.seed, network: n });
  const state = freshState(adapters, shape, critic !== undefined);
  const given = critic ?? [];
  return given.length === 0
    ? state
    : { ...state, critic: given.map((head) => ({ ...head, values: head.values.slice() })) };
}
