// Whole rows through the network: what training, the critic, the reference and the inspector need
// of them. Rows are uploaded once as a `DeviceRows` and used as often as wanted.
import * as tf from '@tensorflow/tfjs-core';
import { tokenLogprobs } from '../engine/ops/tokenLogprobs.ts';
import { logits, rowHiddenStates, type Rotation } from '../model/llama.ts';
import { rotaryTables } from '../model/positions.ts';
import { stateValues, type ValueHead } from '../model/valueHead.ts';
import type { ModelShape } from '../config/sizes.ts';
import type { ParameterTree } from '../model/parameters.ts';
import type { RowBatch } from './rows.ts';

export interface DeviceRows {
  shape: [number, number];
  /** [B, T] int32 */
  ids: tf.Tensor2D;
  /** [B·T] int32 */
  targets: tf.Tensor1D;
  rotation: Rotation;
}

/** Uploads ids, targets and rotary tables. Free with `tf.dispose` of its tensors, or `disposeRows`. */
export function uploadRows(batch: RowBatch, model: ModelShape): DeviceRows {
  const shape: [number, number] = [batch.rows, batch.length];
  const { cos, sin } = rotaryTables(batch.length, model.headSize, model.ropeTheta);
  const table = (values: Float32Array) => tf.tensor3d(values, [1, batch.length, model.headSize]);
  return {
    shape,
    ids: tf.tensor2d(batch.ids, shape, 'int32'),
    targets: tf.tensor1d(batch.targets, 'int32'),
    rotation: { cos: table(cos), sin: table(sin) },
  };
}

export function disposeRows({ ids, targets, rotation }: DeviceRows): void {
  tf.dispose([ids, targets, rotation.cos, rotation.sin]);
}

export interface RowOutputs {
  /** [B·T, V] */
  logits: tf.Tensor2D;
  /** [B, T] of the target of each column, under softmax(logits / temperature). */
  logprobs: tf.Tensor2D;
  /** [B, T] nats */
  entropy: tf.Tensor2D;
  /** [B, T]; absent without a value head. */
  values: tf.Tensor2D | null;
}

interface Model {
  tree: ParameterTree;
  shape: ModelShape;
  head?: ValueHead | null;
}

/** Differentiable in all parameters. */
export function rowOutputs({ tree, shape, head }: Model, rows: DeviceRows, temperature: number): RowOutputs {
  const hidden = rowHiddenStates(rows.ids, { tree, shape, rotation: rows.rotation });
  const scores = logits(hidden, tree, shape);
  const { logprobs, entropy } = tokenLogprobs(scores, rows.targets, temperature);
  const table = (x: tf.Tensor) => tf.reshape(x, rows.shape) as tf.Tensor2D;
  return {
    logits: scores,
    logprobs: table(logprobs),
    entropy: table(entropy),
    values: head ? table(stateValues(hidden, head)) : null,
  };
}
