// Whole rows through the network: what training, the critic, the reference and the inspector need
// of them. Rows are uploaded once as a `DeviceRows` and used as often as wanted.
import * as tf from '@tensorflow/tfjs-core';
import { recordedConstant } from '../../engine/ops/constants.ts';
import type { Rotation } from '../../engine/ops/attention/rope.ts';
import { tokenLogprobs } from '../../engine/ops/tokens/tokenLogprobs.ts';
import { logits, rowHiddenStates } from '../../model/network/llama.ts';
import { rotaryTables } from '../../model/network/positions.ts';
import { stateValues, type ValueHead } from '../../model/network/valueHead.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { RowBatch } from './rows.ts';

export interface DeviceRows {
  shape: [number, number];
  /** [B, T] int32 */
  ids: tf.Tensor2D;
  /** [B·T] int32 */
  targets: tf.Tensor1D;
  /** [B, T] 0 hides a token from all later ones; absent: none is hidden. */
  keyMask?: tf.Tensor2D;
}

/** Uploads ids and targets, and what of them later tokens may see [B·T] where that is not all. Free with `disposeRows`. */
export function uploadRows(batch: RowBatch, visible?: Float32Array): DeviceRows {
  const shape: [number, number] = [batch.rows, batch.length];
  return {
    shape,
    ids: tf.tensor2d(batch.ids, shape, 'int32'),
    targets: tf.tensor1d(batch.targets, 'int32'),
    ...(visible && { keyMask: tf.tensor2d(visible, shape) }),
  };
}

/** The same rows as inputs of a computation, and there as tensors again. */
export const rowInputs = ({ ids, targets, rows, length }: RowBatch) => ({
  ids: { values: ids, shape: [rows, length] },
  targets: { values: targets, shape: [ids.length] },
});

export const rowsFrom = (inputs: Record<string, tf.Tensor>): DeviceRows => ({
  shape: inputs['ids']?.shape as [number, number],
  ids: inputs['ids'] as tf.Tensor2D,
  targets: inputs['targets'] as tf.Tensor1D,
});

export function disposeRows({ ids, targets, keyMask }: DeviceRows): void {
  tf.dispose([ids, targets, ...(keyMask ? [keyMask] : [])]);
}

/** The numbers of a float32 tensor, which is freed, also where reading fails. */
export async function readOnce(tensor: tf.Tensor): Promise<Float32Array> {
  try {
    return await tensor.data<'float32'>();
  } finally {
    tensor.dispose();
  }
}

/** Rotary tables of the first `length` positions, [1, T, D]. */
export function rotationOf({ headSize, ropeTheta }: ModelShape, length: number): Rotation {
  const table = (name: 'cos' | 'sin') =>
    recordedConstant(`rotary ${name} ${length} ${headSize} ${ropeTheta}`, () =>
      tf.tensor3d(rotaryTables(length, headSize, ropeTheta)[name], [1, length, headSize]),
    );
  return { cos: table('cos'), sin: table('sin') };
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
  tree: WeightTree;
  shape: ModelShape;
  head?: ValueHead | null;
}

/** Differentiable in all parameters. */
export function rowOutputs({ tree, shape, head }: Model, rows: DeviceRows, temperature: number): RowOutputs {
  const { keyMask } = rows;
  const rotation = rotationOf(shape, rows.shape[1]);
  const hidden = rowHiddenStates(rows.ids, { tree, shape, rotation, ...(keyMask && { keyMask }) });
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
