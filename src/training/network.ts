// One trainable network: weights, an optional value head, AdamW moments, and how many updates it
// has taken. `NetworkState` is the same as plain arrays.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../config/sizes.ts';
import { disposeTree, downloadTree, downloadVariable, uploadTree, type ParameterTree } from '../model/parameters.ts';
import { initialValueHead, uploadValueHead, type ValueHead } from '../model/valueHead.ts';
import type { NamedArray, NetworkState } from '../records/checkpoint.ts';

export interface Network {
  shape: ModelShape;
  tree: ParameterTree;
  head: ValueHead | null;
  /** Moments, parallel to `variables(network)`. */
  m: tf.Variable[];
  v: tf.Variable[];
  updates: number;
}

/** All trained variables: the tree in its order, then the value head. */
export function variables({ tree, head }: Network): tf.Variable[] {
  return [...tree.values(), ...(head ? [head.weight, head.bias] : [])];
}

/** A network that has taken no update yet. */
export function freshState(weights: NamedArray[], shape: ModelShape, hasCritic: boolean): NetworkState {
  const critic = hasCritic ? initialValueHead(shape) : [];
  const zeros = () => [...weights, ...critic].map(({ values }) => new Float32Array(values.length));
  return { weights, critic, m: zeros(), v: zeros(), updates: 0 };
}

/** Uploads a network; the caller disposes it. Throws FormatError when the weights do not fit the shape. */
export function uploadNetwork(state: NetworkState, shape: ModelShape): Network {
  const tree = uploadTree(state.weights, shape);
  const head = state.critic.length > 0 ? uploadValueHead(state.critic) : null;
  const trained = variables({ shape, tree, head, m: [], v: [], updates: 0 });
  const moments = (arrays: Float32Array[]) =>
    trained.map((variable, i) =>
      tf.tidy(() => tf.variable(tf.tensor((arrays[i] as Float32Array).slice(), variable.shape, 'float32'))),
    );
  return { shape, tree, head, m: moments(state.m), v: moments(state.v), updates: state.updates };
}

/** A copy of everything. */
export async function downloadNetwork(network: Network): Promise<NetworkState> {
  const arrays = (moments: tf.Variable[]) =>
    Promise.all(moments.map(async (moment) => ((await moment.data()) as Float32Array).slice()));
  const { head } = network;
  return {
    weights: await downloadTree(network.tree),
    critic: head
      ? [await downloadVariable('value_head.weight', head.weight), await downloadVariable('value_head.bias', head.bias)]
      : [],
    m: await arrays(network.m),
    v: await arrays(network.v),
    updates: network.updates,
  };
}

export function disposeNetwork(network: Network): void {
  disposeTree(network.tree);
  tf.dispose([...network.m, ...network.v, ...(network.head ? [network.head.weight, network.head.bias] : [])]);
}
