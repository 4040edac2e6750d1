// Microbatches are parts of a batch; the engine processes the rows of one microbatch together. Their size is limited in
// tokens (rows · columns), so that the worker stays responsive and the memory is sufficient. This file also determines
// the shapes to which microbatches are padded. A recorded step can be replayed only for one shape, so backends that
// record steps use few shapes. Padding contains no action tokens, and therefore has no weight in any loss.
import * as tf from '@tensorflow/tfjs-core';
import { inParts } from '../../base/groups.ts';
import { parameterCount } from '../../config/sizes.ts';
import { adapterVariables } from '../../model/network/adapter.ts';
import { mostKeptBytes } from '../../model/decoding/decodingStates.ts';
import { learningBytes, passBytes, type PassBytes } from '../../model/network/passMemory.ts';
import type { Network } from '../team/network.ts';
import { layAnew, selectRows, type RowBatch } from './rows.ts';

export interface Bucket {
  /** Rows and columns are rounded up to multiples of these numbers. */
  rows: number;
  columns: number;
  /** Rounds up other numbers of a microbatch, such as the number of spans. */
  count: (needed: number) => number;
}

const exact: Bucket = { rows: 1, columns: 1, count: (needed) => needed };
const coarse: Bucket = { rows: 16, columns: 8, count: (needed) => 2 ** Math.ceil(Math.log2(Math.max(1, needed))) };

/**
 * The multiples for the shapes of microbatches on a backend. Shapes are padded only on WebGPU. On other backends,
 * padding would cost time without a benefit.
 */
export function bucketOf(backend: string): Bucket {
  return backend === 'webgpu' ? coarse : exact;
}

/**
 * If rows are left out of a step, the number of rows changes from step to step. On a backend that records steps, all
 * parts are therefore padded to the number of rows of a full microbatch, so that no new shapes occur. Leaving out rows
 * then saves time only if a whole microbatch is left out.
 */
export function steadyBucket(bucket: Bucket, rows: number): Bucket {
  return bucket === exact ? exact : { ...bucket, rows: Math.ceil(rows / bucket.rows) * bucket.rows };
}

/** Pads a batch and its [B·T] columns with additional columns on the right and additional rows at the end. */
export function padRows<C extends Record<string, Float32Array>>(
  batch: RowBatch,
  columns: C,
  bucket: Bucket,
): { batch: RowBatch; columns: C } {
  const rows = Math.ceil(batch.rows / bucket.rows) * bucket.rows;
  const length = Math.ceil(batch.length / bucket.columns) * bucket.columns;
  if (rows === batch.rows && length === batch.length) return { batch, columns };
  const padded = Array.from({ length: rows }, (_, b) => (b < batch.rows ? b : -1));
  return layAnew(batch, padded, { length, columns });
}

type Placed = Pick<Network, 'shape' | 'roomBytes' | 'adapter'>;

/** The indices of the rows of a batch in order, divided into parts of at most `mostTokens` tokens. */
export function rowParts({ rows, length }: Pick<RowBatch, 'rows' | 'length'>, mostTokens: number): number[][] {
  return inParts([...Array(rows).keys()], Math.max(1, Math.floor(mostTokens / length)));
}

/** The microbatches of a step over whole rows. Each contains padded rows and their indices in the batch. */
export function paddedParts(network: Placed, batch: RowBatch): { part: RowBatch; rows: number[] }[] {
  const bucket = bucketOf(tf.getBackend());
  return rowParts(batch, updateTokens(network, batch.length)).map((rows) => ({
    part: padRows(selectRows(batch, rows, {}).batch, {}, bucket).batch,
    rows,
  }));
}

/**
 * The maximum memory of a microbatch with its gradients, in bytes. A higher limit would not make the training of large
 * networks faster.
 */
const mostLearningBytes = 1.5 * 2 ** 30;

/**
 * The bytes that a microbatch with gradients needs: `fixed` bytes, plus `each` bytes for each token in rows of this
 * length.
 */
export function updateBytes({ shape, adapter }: Placed, length: number): PassBytes {
  const trained = adapter ? adapterVariables(adapter).reduce((sum, { size }) => sum + size, 0) : parameterCount(shape);
  const { fixed, each } = learningBytes(shape, length, adapter !== undefined);
  return { fixed: mostKeptBytes + 4 * 2 * trained + fixed, each };
}

/**
 * The number of tokens of a microbatch with gradients, in rows of this length. Such a microbatch takes about a tenth of
 * a second on two cores, so that the worker stays responsive. On a GPU, a minibatch of usual size is processed as a
 * whole.
 */
export function updateTokens(network: Placed, length: number): number {
  const { fixed, each } = updateBytes(network, length);
  const fitting = Math.floor(Math.min(mostLearningBytes, (network.roomBytes ?? Infinity) - fixed) / each);
  return Math.min(tf.getBackend() === 'webgpu' ? 8192 : 3072, fitting);
}

/** The number of tokens of a microbatch without gradients, which needs less memory for each token. */
export function scoringTokens({ shape, roomBytes = Infinity, adapter }: Placed, length: number): number {
  const { fixed, each } = passBytes(shape, length, adapter !== undefined);
  return Math.min(6144, Math.floor((roomBytes - mostKeptBytes - fixed) / each));
}
