// The common interface to decoding. If the backend has kernels that write to tensors in place, decoding uses these
// kernels; otherwise, it uses the ops of TF.js and a cache that grows. Both ways draw the same tokens.
import type { ModelShape } from '../../config/sizes.ts';
import { mostBindingBytes } from '../../engine/memory.ts';
import type { Policy } from '../../records/policy.ts';
import type { DecodingStates } from './decodingStates.ts';
import { growingPolicy } from './growingDecoder.ts';
import type { WeightTree } from '../network/parameters.ts';
import { cacheBytes, hearingBytes, speakingBytes } from '../network/passMemory.ts';
import { decodesInPlace, residentPolicy } from './residentDecoder.ts';

/**
 * Up to this many rows, decoding may use all memory, because the weights of a large model are read only once per step
 * for all rows together.
 */
const fewRows = 32;

/** Memory limits of the decoding sessions of a batch. */
export interface DecodingMemory {
  bytes: number;
  /**
   * The maximum number of bytes of sessions with more than `fewRows` rows; if absent, such sessions may also use all
   * `bytes`.
   */
  usualBytes?: number;
  /** The number of sessions that are open at the same time. All have the same number of rows. */
  sessions: number;
}

/**
 * A policy that computes with a parameter tree on the current backend. The caller must dispose the tree.
 * @param rooms keeps the buffers of a session for later sessions; the caller disposes it before the tree
 * @param memory limits the number of rows of a session; if absent, only the device limits this number
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

/**
 * The largest number of rows for each session. With this number, the memory is sufficient for the caches of all
 * sessions, and for one session that processes whole contexts.
 */
export function fittingRows(shape: ModelShape, { bytes, usualBytes = bytes, sessions }: DecodingMemory): number {
  const rowBytes = sessionBytes(shape, sessions);
  return Math.floor(Math.min(bytes, Math.max(usualBytes, fewRows * rowBytes)) / rowBytes);
}

/** The bytes of one row of each session, of which one session processes a whole context. */
export function sessionBytes(shape: ModelShape, sessions: number): number {
  const { maxPositions } = shape;
  const heardBytes = maxPositions * hearingBytes(shape, maxPositions);
  return sessions * cacheBytes(shape) + heardBytes + speakingBytes(shape);
}

/**
 * The number of rows at which the widest tensor is still within the device's size limit for one binding. The widest
 * tensor contains a whole context in the widest layer. Half as much space is added, because rows differ in length.
 */
function boundRows({ hiddenSize, intermediateSize, numHeads, numKvHeads, headSize, maxPositions }: ModelShape): number {
  const widest = Math.max(hiddenSize, 2 * intermediateSize, (numHeads + 2 * numKvHeads) * headSize);
  return Math.floor(mostBindingBytes() / (4 * 1.5 * maxPositions * widest));
}
