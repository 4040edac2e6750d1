// The mask of a cache's newest slots: which of them later positions may attend to.
import type * as tf from '@tensorflow/tfjs-core';
import { runInPlace } from './inPlace.ts';
import { expectShape } from '../kernel.ts';

/**
 * mask[b, state[0] + s] ← fresh[b, s].
 * @param mask [B, cap] float32; changed
 * @param fresh [B, S] float32: 1 = visible, 0 = hidden
 * @param state int32 [2]: slots in use, step of the turn; the caller sees to state[0] + S ≤ cap
 * @throws ShapeError when shapes do not fit.
 */
export function writeSlots(mask: tf.Tensor2D, fresh: tf.Tensor2D, state: tf.Tensor1D): void {
  const [rows, capacity] = mask.shape;
  expectShape('writeSlots: fresh', fresh, [rows, Math.min(fresh.shape[1], capacity)]);
  expectShape('writeSlots: state', state, [2], 'int32');
  runInPlace('WriteSlots', { mask, fresh, state });
}
