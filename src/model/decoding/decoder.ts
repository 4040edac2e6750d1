// The common interface to decoding. If the backend has the kernels for it, decoding works in place on the device;
// otherwise it uses stock ops and a cache that grows. Both ways draw the same tokens.
import type { ModelShape } from '../../config/sizes.ts';
import { mostBindingBytes } from '../../engine/memory.ts';
import type { Policy } from '../../records/policy.ts';
import type { DecodingStates } from './decodingStates.ts';
import { growingPolicy } from './growingDecoder.ts';
import type { WeightTree } from '../network/parameters.ts';
import { cacheBytes, hearingBytes, speakingBytes } from '../network/passMemory.ts';
import { decodesInPlace, residentPolicy } from './residentDecoder.ts';

/**
 * Up to this number of rows, a large model may use all memory, because these rows share the cost of reading its
 * weights.
 */
const fewRows = 32;

/** Memory limits of the decoding sessions of a batch. */
export interface DecodingMemory {
  bytes: number;
  /** Bytes that more than `fewRows` rows may take; if absent, they may take all bytes. */
  usualBytes?: number;
  /** The number of sessions that are open at once, each with the same number of rows. */
  sessions: number;
}

/**
 * A policy over a parameter tree on the current backend; the caller still owns the tree.
 * @param rooms keeps the buffers of a session for the next ones; the caller disposes it before the tree
 * @param memory limits the rows of a session; if absent, only the device limits them
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

/** The number of rows of all sessions that fit into memory together, while one session processes a whole context. */
export function fittingRows(shape: ModelShape, { bytes, usualBytes = bytes, sessions }: DecodingMemory): number {
  const { maxPositions } = shape;
  const heardBytes = maxPositions * hearingBytes(shape, maxPositions);
  const rowBytes = sessions * cacheBytes(shape) + heardBytes + speakingBytes(shape);
  return Math.floor(Math.min(bytes, Math.max(usualBytes, fewRows * rowBytes)) / rowBytes);
}

/**
 * The number of rows for which the device can bind the widest tensor, which is that of a whole context in the widest
 * layer. It has extra space, because rows differ in length.
 */
function boundRows({ hiddenSize, intermediateSize, numHeads, numKvHeads, headSize, maxPositions }: ModelShape): number {
  const widest = Math.max(hiddenSize, 2 * intermediateSize, (numHeads + 2 * numKvHeads) * headSize);
  return Math.floor(mostBindingBytes() / (4 * 1.5 * maxPositions * widest));
}
