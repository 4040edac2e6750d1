// Computes the hidden states of equal prefixes of rows only once. A hidden state depends only on the tokens up to its
// position. If several rows begin with the same tokens, their hidden states at these tokens are therefore equal and are
// computed once for all of these rows. Only attention is computed for each whole row, because each row has its own
// keys. All matrix products, which are nearly all the work of a large model, are computed only once for each distinct
// prefix.
import type * as tf from '@tensorflow/tfjs-core';
import { picksRows } from '../../engine/ops/embed/embed.ts';
import type { Uploads } from '../../engine/replay.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { SharedStates } from './llama.ts';

/**
 * The minimum number of elements of a matrix. With smaller matrices, gathering the rows takes as much time as the
 * shorter computation saves.
 */
const largeMatrix = 600_000;

/** Whether a network of this shape is large enough that equal prefixes are computed only once. */
export const sharesBeginnings = ({ hiddenSize, intermediateSize }: ModelShape): boolean =>
  hiddenSize * intermediateSize >= largeMatrix && picksRows();

/** The distinct prefixes of rows. Position t of row b has the number b·T + t. */
export interface Beginnings {
  /** [U] for each distinct prefix, the first position at which it ends, in ascending order. */
  places: Int32Array;
  /** [B·T] for each position, the number of the prefix that ends there, in [0, U); 0 in columns without a token. */
  numbers: Int32Array;
}

/** Rows of `length` columns; the tokens of row b are in the columns from `from(b)` to `to(b)` − 1. */
interface LaidRows {
  /** [B·T] */
  ids: Int32Array;
  rows: number;
  length: number;
  from: (row: number) => number;
  to: (row: number) => number;
  /** [B·T] 0 for each token that is hidden from all later tokens; if absent, no token is hidden. */
  visible?: ArrayLike<number> | undefined;
}

/** Finds the distinct prefixes of rows. Each prefix starts at the first token of its row. */
export function beginningsOf({ ids, rows, length, from, to, visible }: LaidRows): Beginnings {
  const numbers = new Int32Array(rows * length);
  const places: number[] = [];
  const stride = 2 * (ids.reduce((most, id) => Math.max(most, id), 0) + 1);
  const numberOf = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    let before = 0; // 0: the empty beginning; n + 1: beginning n
    for (let t = from(row); t < to(row); t++) {
      const at = row * length + t;
      const isHidden = visible !== undefined && visible[at] === 0;
      const key = before * stride + 2 * (ids[at] as number) + (isHidden ? 1 : 0);
      let number = numberOf.get(key);
      if (number === undefined) numberOf.set(key, (number = places.push(at) - 1));
      numbers[at] = number;
      before = number + 1;
    }
  }
  if (places.length === 0) places.push(0);
  return { places: Int32Array.from(places), numbers };
}

/** Whether there are so few distinct prefixes that computing each only once saves time. */
const isWorthSharing = ({ places, numbers }: Beginnings): boolean => places.length < 0.8 * numbers.length;

/**
 * The arrays to upload for a pass that computes equal prefixes only once; empty if this saves no time. `asked` contains
 * the positions whose states are requested.
 */
export function sharedUploads(laid: LaidRows, asked: Iterable<number>): Uploads {
  const beginnings = beginningsOf(laid);
  if (!isWorthSharing(beginnings)) return {};
  const { places, numbers } = beginnings;
  const column = (values: Int32Array) => ({ values, shape: [values.length] });
  return {
    beginningIds: column(places.map((at) => laid.ids[at] as number)),
    beginnings: column(places),
    beginningOf: column(numbers),
    askedBeginnings: column(Int32Array.from(asked, (at) => numbers[at] as number)),
  };
}

/** The uploaded arrays as tensors; undefined if there are none. */
export function sharedStates(inputs: Readonly<Record<string, tf.Tensor>>): SharedStates | undefined {
  const [ids, places, numbers, asked] = ['beginningIds', 'beginnings', 'beginningOf', 'askedBeginnings'].map(
    (name) => inputs[name],
  ) as (tf.Tensor1D | undefined)[];
  return ids && places && numbers && asked && { ids, places, numbers, asked };
}
