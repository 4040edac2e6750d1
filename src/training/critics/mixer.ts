// The hypernetworks of QMIX (1803.11485): their input is the state, and their outputs are the weights of the mixing
// network. These networks are linear, except for the network of the last bias, which has one hidden layer. The state is
// the pooled hidden states of the critic's trunk.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import type { MixingWeights } from '../maths/mixing.ts';

export interface MixerShape {
  /** Width of a state, S. */
  stateSize: number;
  /** The number of agents, A. */
  agents: number;
  /** The number of hidden units of the mixing network, H. */
  hidden: number;
}

/** The parameters of the hypernetworks by name: `weight` [out, S] and `bias` [out] of each. */
export type Mixer = ReadonlyMap<string, tf.Tensor>;

// The number of the mixer's sequence of draws. This number must differ from the numbers for the agents' networks, which
// are counted from 0.
const mixerDraws = 1_000_000;

function layers({ stateSize, agents, hidden }: MixerShape): { name: string; out: number; into: number }[] {
  return [
    { name: 'mixer.w1', out: hidden * agents, into: stateSize },
    { name: 'mixer.b1', out: hidden, into: stateSize },
    { name: 'mixer.w2', out: hidden, into: stateSize },
    { name: 'mixer.value.up', out: hidden, into: stateSize },
    { name: 'mixer.value.down', out: 1, into: hidden },
  ];
}

/**
 * Random weights with standard deviation 1/√inputs. The biases of w1 and w2 start at 1 and 1/H, all other biases at 0.
 * The output of the initial mixer is therefore close to the sum of the agents' values, so that the team's error leads
 * to a gradient for every agent.
 */
export function initialMixer(shape: MixerShape, seed: number): NamedArray[] {
  const draws = new Draws(seed, streams.weights, mixerDraws);
  const starts: Record<string, number> = { 'mixer.w1': 1, 'mixer.w2': 1 / shape.hidden };
  return layers(shape).flatMap(({ name, out, into }) => {
    const scale = (starts[name] ?? 1) / Math.sqrt(into);
    return [
      {
        name: `${name}.weight`,
        shape: [out, into],
        values: Float32Array.from({ length: out * into }, () => scale * draws.normal()),
      },
      { name: `${name}.bias`, shape: [out], values: new Float32Array(out).fill(starts[name] ?? 0) },
    ];
  });
}

/**
 * The weights of the mixing network for each state. `states` is [N, S], and the result is differentiable in states and
 * parameters. Throws ShapeError if a parameter is missing or has a wrong shape.
 */
export function mixingWeights(states: tf.Tensor2D, mixer: Mixer, shape: MixerShape): MixingWeights {
  const count = states.shape[0];
  const sizes = new Map(layers(shape).map(({ name, out, into }) => [name, [out, into]]));
  const apply = (name: string, x: tf.Tensor): tf.Tensor => {
    const [weight, bias] = [mixer.get(`${name}.weight`), mixer.get(`${name}.bias`)];
    const expected = sizes.get(name) as number[];
    if (!weight || !bias || !tf.util.arraysEqual(weight.shape, expected) || bias.size !== expected[0])
      throw new ShapeError(
        `mixingWeights: ${name} must be [${expected.join(', ')}] with a bias, got [${weight?.shape.join(', ') ?? 'nothing'}]; was the mixer made for other agents?`,
      );
    return tf.add(tf.matMul(x, weight, false, true), bias);
  };
  return tf.tidy(() => ({
    w1: tf.reshape(apply('mixer.w1', states), [count, shape.hidden, shape.agents]),
    b1: apply('mixer.b1', states),
    w2: apply('mixer.w2', states),
    v: tf.reshape(apply('mixer.value.down', tf.relu(apply('mixer.value.up', states))), [count]),
  }));
}
