// The one door to decoding: in place on the device where the backend has the kernels for it, else over a cache that
// grows by stock ops. Both draw the same tokens. Rows that a device cannot bind at once decode in parts.
import { mostBindingBytes } from '../engine/bindings.ts';
import type { ModelShape } from '../config/sizes.ts';
import type { Policy } from '../records/policy.ts';
import type { DecodingRooms } from './decodingRooms.ts';
import { growingPolicy } from './growingDecoder.ts';
import type { ParameterTree } from './parameters.ts';
import { decodesInPlace, residentPolicy } from './residentDecoder.ts';
import { splitPolicy } from './splitPolicy.ts';

/**
 * A policy over a parameter tree on the current backend; the tree stays the caller's.
 * @param rooms keeps what sessions leave for the next ones; the caller disposes it before the tree
 */
export function decodingPolicy(tree: ParameterTree, shape: ModelShape, rooms?: DecodingRooms): Policy {
  const policy = decodesInPlace(shape) ? residentPolicy(tree, shape, rooms) : growingPolicy(tree, shape);
  const most = mostRows(shape);
  if (most === Infinity) return policy;
  const split = splitPolicy(policy, most);
  const open = (rows: number) => {
    if (rows > most)
      rooms?.remark(`This adapter binds too little for ${rows} dialogues at once, so they run in parts.`);
    return split.open(rows);
  };
  return { ...split, open };
}

/** Rows whose widest tensor the device can bind: a whole context in the widest layer, with room for rows of unlike lengths. */
function mostRows({ hiddenSize, intermediateSize, numHeads, numKvHeads, headSize, maxPositions }: ModelShape): number {
  const widest = Math.max(hiddenSize, 2 * intermediateSize, (numHeads + 2 * numKvHeads) * headSize);
  return Math.max(1, Math.floor(mostBindingBytes() / (4 * 1.5 * maxPositions * widest)));
}
