// Microbatches: the part of a batch that the engine processes at once, in tokens (rows · columns), which keeps the
// worker responsive and fits into limited memory; and the shapes to which it is padded. A step that is recorded once
// and replayed serves only one shape, so on backends that record there are few shapes: padding rows and columns carry
// no action token, hence no weight in any loss.
import * as tf from '@tensorflow/tfjs-core';
import { inParts } from '../../base/groups.ts';
import { parameterCount } from '../../config/sizes.ts';
import { adapterVariables } from '../../model/network/adapter.ts';
import { mostKeptBytes } from '../../model/decoding/decodingStates.ts';
import { learningBytes, passBytes } from '../../model/network/passMemory.ts';
import type { Network } from '../team/network.ts';
import { layAnew, selectRows, type RowBatch } from './rows.ts';

export interface Bucket {
  /** Multiples to which rows and columns are rounded up. */
  rows: number;
  columns: number;
  /** Rounds up other counts of a microbatch: slots and spans. */
  count: (needed: number) => number;
}

const exact: Bucket = { rows: 1, columns: 1, count: (needed) => needed };
const coarse: Bucket = { rows: 16, columns: 8, count: (needed) => 2 ** Math.ceil(Math.log2(Math.max(1, needed))) };

/** Shapes of microbatches on a backend: padded on WebGPU, unchanged elsewhere, where padding would cost time. */
export function bucketOf(backend: string): Bucket {
  return backend === 'webgpu' ? coarse : exact;
}

/**
 * If rows leave a step, their number changes from one step to the next: on a backend that records, all parts get the
 * rows of a whole one, so that no new shapes occur and only whole microbatches are saved.
 */
export function steadyBucket(bucket: Bucket, rows: number): Bucket {
  return bucket === exact ? exact : { ...bucket, rows: Math.ceil(rows / bucket.rows) * bucket.rows };
}

/** A batch and its [B·T] columns, padded on the right and at the bottom. */
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

/** Indices of the rows of a batch in order, in parts of at most `mostTokens` tokens. */
export function rowParts({ rows, length }: Pick<RowBatch, 'rows' | 'length'>, mostTokens: number): number[][] {
  return inParts([...Array(rows).keys()], Math.max(1, Math.floor(mostTokens / length)));
}

/** The microbatches of a step over whole rows: the padded rows of each, and their indices in the batch. */
export function paddedParts(network: Placed, batch: RowBatch): { part: RowBatch; rows: number[] }[] {
  const bucket = bucketOf(tf.getBackend());
  return rowParts(batch, updateTokens(network, batch.length)).map((rows) => ({
    part: padRows(selectRows(batch, rows, {}).batch, {}, bucket).batch,
    rows,
  }));
}

/** Byte limit of all tokens of a microbatch with their gradients: a large network does not benefit from more. */
const mostLearningBytes = 1.5 * 2 ** 30;

/** Tokens of rows of this length that fit into the remaining memory, with everything that their gradients need. */
export function fittingTokens({ shape, roomBytes = Infinity, adapter }: Placed, length: number): number {
  const trained = adapter ? adapterVariables(adapter).reduce((sum, { size }) => sum + size, 0) : parameterCount(shape);
  const { fixed, each } = learningBytes(shape, length, adapter !== undefined);
  return Math.floor(Math.min(mostLearningBytes, roomBytes - mostKeptBytes - 4 * 2 * trained - fixed) / each);
}

/**
 * Tokens of a microbatch with gradients, in rows of this length: about a tenth of a second of work on two cores, so
 * that the worker stays responsive. A GPU takes a usual minibatch whole, in one submission.
 */
export function updateTokens(network: Placed, length: number): number {
  return Math.min(tf.getBackend() === 'webgpu' ? 8192 : 3072, fittingTokens(network, length));
}

/** Tokens of a microbatch without gradients, which keeps less in memory. */
export function scoringTokens({ shape, roomBytes = Infinity, adapter }: Placed, length: number): number {
  const { fixed, each } = passBytes(shape, length, adapter !== undefined);
  return Math.min(6144, Math.floor((roomBytes - mostKeptBytes - fixed) / each));
}
