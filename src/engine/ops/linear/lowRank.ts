// The product of an adapter that is added to a linear map (LoRA, 2106.09685). The product is computed separately and
// not merged into the weights, so the shared weights stay unchanged and need no gradient.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { scalar } from '../constants.ts';
import { hasKernel, runKernels } from '../kernel.ts';
import { linear } from './linear.ts';

/** A low-rank pair A [r, I] and B [O, r], and the factor α/r of their product. */
export interface LowRank {
  a: tf.Tensor2D;
  b: tf.Tensor2D;
  scale: number;
}

tf.registerGradient({
  kernelName: 'LowRank',
  inputsToSave: ['x', 'a', 'b', 'scale'],
  outputsToSave: [false, true],
  gradFunc: (dys, saved) => {
    const dy = (dys as unknown as tf.Tensor[])[0] as tf.Tensor;
    const [x, a, b, scale, narrow] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
    const found = runKernels('LowRankGrad', { x, a, b, scale, narrow, dy });
    const [dx, da, db] = found as [tf.Tensor, tf.Tensor, tf.Tensor];
    return { y: () => tf.clone(dy), x: () => dx, a: () => da, b: () => db };
  },
});

/**
 * y + scale·(x·aᵀ)·bᵀ, differentiable in y, x, a and b.
 * @param y [N, O]; must not be used anywhere else, because the backend's kernel, if there is one, overwrites it with
 * the sum
 * @param x [N, I]
 * @returns [N, O]
 * @throws ShapeError if the sizes do not fit together
 */
export function addLowRank(y: tf.Tensor2D, x: tf.Tensor2D, { a, b, scale }: LowRank): tf.Tensor2D {
  expectLowRank('addLowRank', { y: y.shape, x: x.shape }, { a, b });
  if (!hasKernel('LowRank')) return tf.add(y, tf.mul(linear(linear(x, a), b), scalar(scale)));
  return runKernels('LowRank', { y, x, a, b, scale: scalar(scale) })[0] as tf.Tensor2D;
}

/** Throws ShapeError unless the shapes of a and b match those of x and y. */
export function expectLowRank(
  op: string,
  { y, x }: { y: readonly number[]; x: readonly number[] },
  { a, b }: Pick<LowRank, 'a' | 'b'>,
): void {
  const [rank, input] = a.shape;
  if (b.shape[1] === rank && x[1] === input && y[1] === b.shape[0] && x[0] === y[0]) return;
  throw new ShapeError(
    `${op}: expected y [N, O], x [N, I], a [r, I] and b [O, r], got y [${y.join(', ')}], x [${x.join(', ')}], a [${a.shape.join(', ')}] and b [${b.shape.join(', ')}]; was the adapter made for another matrix?`,
  );
}
