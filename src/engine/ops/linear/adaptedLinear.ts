// A linear map with frozen weights, to which the product of an adapter (LoRA, 2106.09685) is added. If the backend has
// a kernel for this, the map and the adapter are computed in one operation.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { frozenLinear } from '../frozen/frozenLinear.ts';
import { expectFrozen, type FrozenMatrix } from '../frozen/frozenMatrix.ts';
import { hasKernel, runKernels } from '../kernel.ts';
import { linear } from './linear.ts';
import { addLowRank, expectLowRank, type LowRank } from './lowRank.ts';

// W is not trained, so it has no gradient.
tf.registerGradient({
  kernelName: 'AdaptedLinear',
  inputsToSave: ['x', 'w', 'a', 'b'],
  outputsToSave: [false, true],
  gradFunc: (dys, saved, attrs) => {
    const dy = (dys as unknown as tf.Tensor[])[0] as tf.Tensor;
    const [x, w, a, b, narrow] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
    const found = runKernels('AdaptedLinearGrad', { x, w, a, b, narrow, dy }, attrs);
    const [dx, da, db] = found as [tf.Tensor, tf.Tensor, tf.Tensor];
    return { x: () => dx, a: () => da, b: () => db };
  },
});

/**
 * x·Wᵀ + scale·(x·aᵀ)·bᵀ, differentiable in x, a and b.
 * @param x [N, I]
 * @param base W [O, I], as a float32 tensor or in the format of a file
 * @returns [N, O]
 * @throws ShapeError if the sizes do not fit together
 */
export function adaptedLinear(x: tf.Tensor2D, base: tf.Tensor2D | FrozenMatrix, adapter: LowRank): tf.Tensor2D {
  const { a, b, scale } = adapter;
  const isStored = 'words' in base;
  const [w, rows, columns] = isStored ? [base.words, base.rows, base.columns] : [base, base.shape[0], base.shape[1]];
  if (!hasKernel('AdaptedLinear', x, w, a, b))
    return addLowRank(isStored ? frozenLinear(x, base) : linear(x, base, true), x, adapter);
  if (isStored) expectFrozen('adaptedLinear', base);
  expectLowRank('adaptedLinear', { x: x.shape, y: [x.shape[0], rows] }, adapter);
  if (columns !== a.shape[1])
    throw new ShapeError(
      `adaptedLinear: the matrix is [${rows}, ${columns}] and a is [${a.shape.join(', ')}]; was the adapter made for another matrix?`,
    );
  const attrs = { format: isStored ? base.format : 'f32', rows, columns, scale };
  return runKernels('AdaptedLinear', { x, w, a, b }, attrs)[0] as tf.Tensor2D;
}
