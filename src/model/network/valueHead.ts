// The critic of actor–critic algorithms: one linear layer on the policy's hidden states. This value head is not part of
// the parameter tree, so that exported weights are the same as those of a usual Llama.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { linear } from '../../engine/ops/linear/linear.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';

export interface ValueHead {
  /** [1, C] */
  weight: tf.Variable<tf.Rank.R2>;
  /** [1] */
  bias: tf.Variable<tf.Rank.R1>;
}

/** The weights start at zero, so the first value of every state is 0. */
export function initialValueHead(shape: ModelShape): NamedArray[] {
  return [
    { name: 'value_head.weight', shape: [1, shape.hiddenSize], values: new Float32Array(shape.hiddenSize) },
    { name: 'value_head.bias', shape: [1], values: new Float32Array(1) },
  ];
}

/** Hidden states [N, C] → values [N]. */
export function stateValues(hidden: tf.Tensor2D, head: ValueHead): tf.Tensor1D {
  return tf.reshape(tf.add(linear(hidden, head.weight), head.bias), [-1]) as tf.Tensor1D;
}
