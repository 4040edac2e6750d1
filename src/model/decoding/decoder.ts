// The single interface to decoding: in place on the device if the backend has the kernels for it, else over a cache
// that grows by stock ops. Both draw the same tokens.
import type { ModelShape } from '../../config/sizes.ts';
import { mostBindingBytes } from '../../engine/memory.ts';
import type { Policy } from '../../records/policy.ts';
import type { DecodingStates } from './decodingStates.ts';
import { growingPolicy } from './growingDecoder.ts';
import type { WeightTree } from '../network/parameters.ts';
import { cacheBytes, hearingBytes, speakingBytes } from '../network/passMemory.ts';
import { decodesInPlace, residentPolicy } from './residentDecoder.ts';

/** This many rows share the reading of the weights well: a large model gets all memory for them. */
const fewRows = 32;

/** Memory limits of the decoding sessions of a batch. */
export interface DecodingMemory {
  bytes: number;
  /** Bytes that more than a few rows may take; all bytes if absent. */
  usualBytes?: number;
  /** The number of sessions that are open at once, each with the same number of rows. */
  sessions: number;
}

/**
 * A policy over a parameter tree on the current backend; the tree stays the caller's.
 * @param rooms keeps what sessions leave for the next ones; the caller disposes it before the tree
 * @param memory limits the rows of a session; without it only the device does
 */
export function decodingPolicy(
  tree: WeightTree,
  shape: ModelShape,
  rooms?: DecodingStates,
  memory?: DecodingMemory,
): Policy {
  const policy = decodesInPlace(shape) ? residentPolicy(tree, shape, rooms) : growingPolicy(tree, shape);
  return { ...policy, mostRows: Math.min(boundRows(shape), memory ? fittingRows(shape, memory) : Infinity) };
}

/** Rows of all sessions that are in memory together, while one of them processes a whole context. */
export function fittingRows(shape: ModelShape, { bytes, usualBytes = bytes, sessions }: DecodingMemory): number {
  const { maxPositions } = shape;
  const heardBytes = maxPositions * hearingBytes(shape, maxPositions);
  const rowBytes = sessions * cacheBytes(shape) + heardBytes + speakingBytes(shape);
  return Math.floor(Math.min(bytes, Math.max(usualBytes, fewRows * rowBytes)) / rowBytes);
}

/**
 * The number of rows whose widest tensor the device can bind: a whole context in the widest layer, with room for rows
 * of unequal lengths.
 */
function boundRows({ hiddenSize, intermediateSize, numHeads, numKvHeads, headSize, maxPositions }: ModelShape): number {
  const widest = Math.max(hiddenSize, 2 * intermediateSize, (numHeads + 2 * numKvHeads) * headSize);
  return Math.floor(mostBindingBytes() / (4 * 1.5 * maxPositions * widest));
}
