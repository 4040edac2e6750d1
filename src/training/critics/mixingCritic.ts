// The critic of VDN (1706.05296) and QMIX (1803.11485), applied to dialogues. A separate trunk reads the joint
// transcript. The state s of a round is represented by the trunk's hidden state at the round's first header. A message
// a_i is represented by the mean hidden state over its columns. A small head computes the value of the message, Q_i(s,
// a_i). The value of the round is the sum of these values (VDN) or their mix (QMIX). All agents share one head, because
// the transcript already shows which agent speaks. Deviation: a later speaker of a round has heard the earlier
// speakers, so the whole value of the round could end up in the later speaker's Q, and none in the earlier speakers' Q.
// Therefore the critic also learns the value of each prefix of a round, in which agents that have not spoken yet count
// as silent.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { factsOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { linear } from '../../engine/ops/linear/linear.ts';
import type { Uploads } from '../../engine/replay.ts';
import { rowHiddenStates } from '../../model/network/llama.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import { parameterNames } from '../../records/parameters.ts';
import { rotationOf } from '../rows/forward.ts';
import { initialMixer, mixingWeights, type MixerShape } from './mixer.ts';
import { qmixTotal, softUpdate, vdnTotal, type MixingWeights } from '../maths/mixing.ts';
import type { PooledRows } from './mixingRows.ts';
import { downloadNetwork, freshState, uploadNetwork, variables, type Network } from '../team/network.ts';

export interface MixingKind {
  isMixed: boolean;
  agents: number;
  /** The number of hidden units of the mixing network. */
  hidden: number;
}

export function mixingKind(config: Config, agents: number): MixingKind {
  const { learning } = config;
  return { isMixed: factsOf(config).hasMixer === true, agents, hidden: learning.mixerHidden };
}

const mixerShape = ({ hiddenSize }: ModelShape, { agents, hidden }: MixingKind): MixerShape => ({
  stateSize: hiddenSize,
  agents,
  hidden,
});

// The number of the head's sequence of draws. This number must differ from the numbers for the networks and for the
// mixer.
const headDraws = 1_000_001;

/**
 * The head maps the state and the message [s, a] to C hidden units, and these to one value. The last layer is initially
 * 0, so at first every message has the value 0.
 */
function initialHead({ hiddenSize: c }: ModelShape, seed: number): NamedArray[] {
  const draws = new Draws(seed, streams.weights, headDraws);
  const random = () => Float32Array.from({ length: c * c }, () => draws.normal() / Math.sqrt(2 * c));
  return [
    { name: 'head.state.weight', shape: [c, c], values: random() },
    { name: 'head.message.weight', shape: [c, c], values: random() },
    { name: 'head.bias', shape: [c], values: new Float32Array(c) },
    { name: 'head.value.weight', shape: [1, c], values: new Float32Array(c) },
    { name: 'head.value.bias', shape: [1], values: new Float32Array(1) },
  ];
}

/**
 * An untrained critic whose trunk uses the arrays `weights` themselves, not a copy. The critic has a head for messages
 * and possibly a mixer instead of a value head.
 */
export function freshMixingState(
  weights: NamedArray[],
  shape: ModelShape,
  { kind, seed }: { kind: MixingKind; seed: number },
): NetworkState {
  const critic = [...initialHead(shape, seed), ...(kind.isMixed ? initialMixer(mixerShape(shape, kind), seed) : [])];
  const zeros = () => critic.map(({ values }) => new Float32Array(values.length));
  const trunk = freshState(weights, shape, false);
  return { ...trunk, critic, m: [...trunk.m, ...zeros()], v: [...trunk.v, ...zeros()] };
}

/** The critic's inputs with their shapes, ready to be uploaded. */
export function mixingUploads({ rows, length, rounds, agents, ids, pooling, heard }: PooledRows): Uploads {
  return {
    ids: { values: ids, shape: [rows, length] },
    pooling: { values: pooling, shape: [rows, rounds * (1 + agents), length] },
    heard: { values: heard, shape: [agents, rows * rounds, agents] },
  };
}

export interface MixedValues {
  /** [B·R, A] Q_i of each agent; 0 for a silent agent. */
  q: tf.Tensor2D;
  /**
   * [A, B·R] Q_tot of each prefix of a round. The index is the number of messages in the prefix minus one, so the last
   * entry belongs to the whole round.
   */
  totals: tf.Tensor2D;
  /** The weights of the mixing network in each round; null if the values are added without a network (VDN). */
  weights: MixingWeights | null;
}

/**
 * Computes Q_i and Q_tot of all rounds from uploaded inputs. The result is differentiable in all parameters. On WebGPU,
 * the function uploads no further data, so that its operations can be recorded.
 */
export function mixedValues(
  { tree, shape, further = new Map() }: Pick<Network, 'tree' | 'shape'> & { further?: ReadonlyMap<string, tf.Tensor> },
  inputs: Record<string, tf.Tensor>,
  kind: MixingKind,
): MixedValues {
  const [ids, pooling, heard] = ['ids', 'pooling', 'heard'].map((name) => inputs[name]) as [
    tf.Tensor2D,
    tf.Tensor3D,
    tf.Tensor3D,
  ];
  const [rows, length] = ids.shape;
  const { agents } = kind;
  const count = heard.shape[1];
  const width = shape.hiddenSize;
  const parameter = (name: string) => {
    const found = further.get(name);
    if (!found) throw new ShapeError(`mixing critic: ${name} is missing; was the critic made for another learner?`);
    return found;
  };
  const hidden = rowHiddenStates(ids, { tree, shape, rotation: rotationOf(shape, length) });
  const pooled = tf.reshape(tf.matMul(pooling, tf.reshape(hidden, [rows, length, width])), [count, 1 + agents, width]);
  const states = tf.reshape(tf.slice(pooled, [0, 0, 0], [count, 1, width]), [count, width]) as tf.Tensor2D;
  const messages = tf.reshape(tf.slice(pooled, [0, 1, 0], [count, agents, width]), [count * agents, width]);
  const ofState = linear(states, parameter('head.state.weight') as tf.Tensor2D);
  const ofMessage = linear(messages as tf.Tensor2D, parameter('head.message.weight') as tf.Tensor2D);
  const units = tf.relu(
    tf.add(
      tf.add(tf.reshape(ofMessage, [count, agents, width]), tf.reshape(ofState, [count, 1, width])),
      parameter('head.bias'),
    ),
  );
  const values = linear(
    tf.reshape(units, [count * agents, width]) as tf.Tensor2D,
    parameter('head.value.weight') as tf.Tensor2D,
  );
  const all = tf.add(tf.reshape(values, [count, agents]), parameter('head.value.bias'));
  const beginnings = tf.unstack(tf.mul(all, heard));
  const weights = kind.isMixed ? mixingWeights(states, further, mixerShape(shape, kind)) : null;
  const totals = beginnings.map((q) => (weights ? qmixTotal(q, weights) : vdnTotal(q)));
  return { q: beginnings.at(-1) as tf.Tensor2D, totals: tf.stack(totals) as tf.Tensor2D, weights };
}

// The slow copy of the critic consists of trunk, head and mixer, without the moments of the optimiser. The targets are
// computed with the slow copy, so that they do not depend directly on the critic's newest step (DQN 1312.5602). After
// each step, the weights of the slow copy are moved towards the critic's weights by a small share of the difference.

/** The slow copy at the start of a run, when it equals the critic. */
export function freshTarget({ weights, critic }: NetworkState): NamedArray[] {
  return [...weights, ...critic].map((array) => ({ ...array, values: array.values.slice() }));
}

/**
 * Uploads the slow copy as a network, which the caller disposes of. Throws FormatError if the arrays do not have the
 * expected shapes.
 */
export function uploadTarget(arrays: readonly NamedArray[], shape: ModelShape): Network {
  const trunk = parameterNames(shape).length;
  const [weights, critic] = [arrays.slice(0, trunk), arrays.slice(trunk)];
  return uploadNetwork({ weights, critic, m: [], v: [], updates: 0 }, shape, false);
}

/** Downloads all arrays of the slow copy. */
export async function downloadTarget(target: Network): Promise<NamedArray[]> {
  const { weights, critic } = await downloadNetwork(target);
  return [...weights, ...critic];
}

/** Moves the weights of the slow copy towards the critic's weights by the share `rate`, in place. */
export function follow(target: Network, critic: Network, rate: number): void {
  critic.replays
    .run(`follow ${rate}`, {}, () => {
      softUpdate(variables(target), variables(critic), rate);
      return [];
    })
    .release();
}
