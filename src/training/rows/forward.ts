// Runs the network on whole rows, for training, the critic, the reference and the inspector. Rows are uploaded once
// (`DeviceRows`) and can then be used several times.
import * as tf from '@tensorflow/tfjs-core';
import { recordedConstant } from '../../engine/ops/constants.ts';
import type { Rotation } from '../../engine/ops/attention/rope.ts';
import { embed } from '../../engine/ops/embed/embed.ts';
import type { TopTokens } from '../../engine/ops/tokens/topTokens.ts';
import type { Uploads } from '../../engine/replay.ts';
import { headLogprobs } from '../../model/network/headLogprobs.ts';
import { headTopTokens } from '../../model/network/headTopTokens.ts';
import { sharedStates, sharedUploads } from '../../model/network/beginnings.ts';
import { rowHiddenStates, type Rotations, type SharedStates } from '../../model/network/llama.ts';
import { localTables, rotaryTables } from '../../model/network/positions.ts';
import { stateValues, type ValueHead } from '../../model/network/valueHead.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { RowBatch } from './rows.ts';

export interface DeviceRows {
  shape: [number, number];
  /** [B, T] int32 the tokens of the rows */
  ids: tf.Tensor2D;
  /** [B·T] int32 the token that each position predicts */
  targets: tf.Tensor1D;
  /** The positions for which results are requested; if absent, results for all positions are requested. */
  asked?: AskedPlaces;
  /** The shared prefixes, if many rows begin with the same tokens. */
  shared?: SharedStates;
  /** [B, T] an entry of 0 hides a token from all later tokens. If absent, no token is hidden. */
  keyMask?: tf.Tensor2D;
}

/** The M requested positions. */
interface AskedPlaces {
  /** [M] int32 the requested positions in ascending order, each in [0, B·T). */
  places: tf.Tensor1D;
  /** [M] int32 the token that is predicted at each requested position. */
  targets: tf.Tensor1D;
  /** [B·T] int32 the index of each position in `places`; 0 if the position is not requested. */
  numbers: tf.Tensor1D;
}

/**
 * Uploads ids and targets and, if `visible` is given, the mask [B·T] of the tokens that later tokens may see. With
 * `isAsked`, only action tokens are requested. With `isShared`, shared prefixes are also computed only once. The caller
 * frees the result with `disposeRows`.
 */
export function uploadRows(
  batch: RowBatch,
  {
    visible,
    isAsked = false,
    isShared = false,
  }: { visible?: Float32Array | undefined; isAsked?: boolean; isShared?: boolean } = {},
): DeviceRows {
  const inputs = { ...rowInputs(batch), ...(isAsked && askedInputs(batch, { visible, isShared })) };
  const uploaded = Object.entries(inputs).map(([name, { values, shape }]) => [name, tf.tensor(values, shape, 'int32')]);
  return {
    ...rowsFrom(Object.fromEntries(uploaded) as Record<string, tf.Tensor>),
    ...(visible && { keyMask: tf.tensor2d(visible, [batch.rows, batch.length]) }),
  };
}

/**
 * The rows as inputs of a recorded computation. Inside the computation, `rowsFrom` converts the inputs back to tensors.
 */
export const rowInputs = ({ ids, targets, rows, length }: RowBatch) => ({
  ids: { values: ids, shape: [rows, length] },
  targets: { values: targets, shape: [ids.length] },
});

/**
 * Additional inputs for computations that need results only for action tokens. If the backend can select rows, the last
 * layer and the logits are not computed for other tokens.
 * @param visible [B·T] 0 hides a token from all later tokens; if absent, no token is hidden
 * @param isShared tokens after the last action of a row are not computed, and equal prefixes of rows are computed only
 * once
 */
export function askedInputs(
  batch: RowBatch,
  { visible, isShared = false }: { visible?: Float32Array | undefined; isShared?: boolean } = {},
): Uploads {
  const { actionMask, targets, ids, rows, length } = batch;
  const endOf = (row: number) => actionMask.subarray(row * length, (row + 1) * length).lastIndexOf(1) + 1;
  const places = [...actionMask.keys()].filter((at) => actionMask[at] !== 0);
  if (places.length === 0) places.push(0);
  const numbers = new Int32Array(ids.length);
  places.forEach((at, number) => (numbers[at] = number));
  return {
    places: { values: Int32Array.from(places), shape: [places.length] },
    askedTargets: { values: Int32Array.from(places, (at) => targets[at] as number), shape: [places.length] },
    numbers: { values: numbers, shape: [ids.length] },
    ...(isShared && sharedUploads({ ids, rows, length, from: () => 0, to: endOf, visible }, places)),
  };
}

export function rowsFrom(inputs: Record<string, tf.Tensor>): DeviceRows {
  const shared = sharedStates(inputs);
  const [places, targets, numbers] = [inputs['places'], inputs['askedTargets'], inputs['numbers']] as tf.Tensor1D[];
  return {
    shape: inputs['ids']?.shape as [number, number],
    ids: inputs['ids'] as tf.Tensor2D,
    targets: inputs['targets'] as tf.Tensor1D,
    ...(places && targets && numbers && { asked: { places, targets, numbers } }),
    ...(shared && { shared }),
  };
}

export function disposeRows({ ids, targets, keyMask, asked, shared }: DeviceRows): void {
  tf.dispose([
    ids,
    targets,
    ...(keyMask ? [keyMask] : []),
    ...Object.values(asked ?? {}),
    ...Object.values(shared ?? {}),
  ]);
}

/** Reads the numbers of a float32 tensor and then frees the tensor, even if reading fails. */
export async function readOnce(tensor: tf.Tensor): Promise<Float32Array> {
  try {
    return await tensor.data<'float32'>();
  } finally {
    tensor.dispose();
  }
}

/** The rotary tables of the first `length` positions, [1, T, D]. */
export function rotationOf(shape: ModelShape, length: number): Rotations {
  const local = localTables(shape);
  return { ...tablesOf(shape, length), ...(local && { local: tablesOf(local, length) }) };
}

function tablesOf(shape: Parameters<typeof rotaryTables>[1], length: number): Rotation {
  const { headSize, ropeTheta, ropeScaling } = shape;
  const table = (name: 'cos' | 'sin') =>
    recordedConstant(`rotary ${name} ${length} ${headSize} ${ropeTheta} ${JSON.stringify(ropeScaling ?? null)}`, () =>
      tf.tensor3d(rotaryTables(length, shape)[name], [1, length, headSize]),
    );
  return { cos: table('cos'), sin: table('sin') };
}

/**
 * The outputs for each position. If only some positions are requested, the entries of all other positions contain the
 * result of the first requested position and have no meaning.
 */
export interface RowOutputs {
  /** [B, T] the log-probability of the target of each column, under softmax(logits / temperature). */
  logprobs: tf.Tensor2D;
  /** [B, T] nats */
  entropy: tf.Tensor2D;
  /** [B, T] the values; null if the model has no value head. */
  values: tf.Tensor2D | null;
}

interface Model {
  tree: WeightTree;
  shape: ModelShape;
  head?: ValueHead | null;
}

/** The final hidden states [B·T, C]. If only M positions are requested, the result is [M, C]. */
function rowStates({ tree, shape }: Model, { ids, keyMask, asked, shared }: DeviceRows): tf.Tensor2D {
  const rotation = rotationOf(shape, ids.shape[1]);
  const some = { ...(keyMask && { keyMask }), ...(asked && { places: asked.places }), ...(shared && { shared }) };
  return rowHiddenStates(ids, { tree, shape, rotation, ...some });
}

/**
 * The k likeliest tokens at each position, or at each of the M requested positions. The result also contains the rank
 * and the log-probability of the target, and the values of the model's value head. It is not differentiable.
 */
export function rowTopTokens(
  model: Model,
  rows: DeviceRows,
  { temperature, k }: { temperature: number; k: number },
): TopTokens & { values: tf.Tensor1D | null } {
  const { tree, shape, head } = model;
  const hidden = rowStates(model, rows);
  const top = headTopTokens(hidden, (rows.asked ?? rows).targets, { tree, shape, temperature, k });
  return { ...top, values: head ? stateValues(hidden, head) : null };
}

/** Arranges the numbers of all positions, or of the requested positions, as a table [B, T]. */
export function rowTable(x: tf.Tensor, { asked, shape }: DeviceRows): tf.Tensor2D {
  const ofAll = asked ? embed(asked.numbers, tf.reshape(x, [-1, 1]) as tf.Tensor2D) : x;
  return tf.reshape(ofAll, shape) as tf.Tensor2D;
}

/** Computes log-probabilities, entropies and values of rows. The result is differentiable in all parameters. */
export function rowOutputs(model: Model, rows: DeviceRows, temperature: number): RowOutputs {
  const { tree, shape, head } = model;
  const { asked } = rows;
  const hidden = rowStates(model, rows);
  const { logprobs, entropy } = headLogprobs(hidden, (asked ?? rows).targets, { tree, shape, temperature });
  const table = (x: tf.Tensor) => rowTable(x, rows);
  return {
    logprobs: table(logprobs),
    entropy: table(entropy),
    values: head ? table(stateValues(hidden, head)) : null,
  };
}
