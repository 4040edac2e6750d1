// y = x·Wᵀ with a frozen matrix W, and the rows of such a matrix as embeddings. Products are summed in float32. The
// backend's own kernel reads the weights as they are stored; if there is no such kernel, the weights are first
// converted to float32 in main memory.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { embedComposed } from '../embed/embed.ts';
import { expectShape, hasKernel, runKernel, withGradient } from '../kernel.ts';
import { dequantized, expectFrozen, type FrozenMatrix } from './frozenMatrix.ts';

// Only x has a gradient, because W is not trained.
tf.registerGradient({
  kernelName: 'FrozenLinear',
  inputsToSave: ['words'],
  gradFunc: (dy, [words], attrs) => ({
    x: () => runKernel('FrozenLinearGrad', { dy: dy as tf.Tensor, words: words as tf.Tensor }, attrs),
  }),
});

/**
 * Linear map without bias.
 * @param x [N, columns]
 * @param w [rows, columns]
 * @returns [N, rows]; differentiable in x
 * @throws ShapeError if the inner sizes differ, or if the words do not contain such a matrix
 */
export function frozenLinear(x: tf.Tensor2D, w: FrozenMatrix): tf.Tensor2D {
  expectFrozen('frozenLinear', w);
  const { words, format, rows, columns } = w;
  if (x.rank !== 2 || x.shape[1] !== columns || x.dtype !== 'float32')
    throw new ShapeError(
      `frozenLinear: x must be float32 [N, ${String(columns)}], got ${x.dtype} [${x.shape.join(', ')}]; reshape x to two dimensions.`,
    );
  if (hasKernel('FrozenLinear', x)) return runKernel('FrozenLinear', { x, words }, { format, rows, columns });
  return frozenLinearComposed(x, w);
}

/**
 * The composed form of the linear map, which consists of TensorFlow.js operations. It is the reference for every
 * kernel.
 */
export function frozenLinearComposed(x: tf.Tensor2D, w: FrozenMatrix): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([x], ([input]) => ({
    value: tf.matMul(input as tf.Tensor2D, whole(w), false, true),
    gradients: (dy) => [tf.tidy(() => tf.matMul(dy, whole(w)))],
  }));
}

/**
 * The row of a frozen matrix for each id, as float32.
 * @param ids [N] int32, each in [0, rows)
 * @returns [N, columns]; without a gradient
 * @throws ShapeError if ids is not an int32 vector or, in a fused kernel, contains an id that is not a row
 */
export function frozenEmbed(ids: tf.Tensor1D, w: FrozenMatrix): tf.Tensor2D {
  expectFrozen('frozenEmbed', w);
  expectShape('frozenEmbed: ids', ids, [ids.size], 'int32');
  const { words, format, rows, columns } = w;
  if (hasKernel('FrozenEmbed')) return runKernel('FrozenEmbed', { ids, words }, { format, rows, columns });
  return tf.tidy(() => embedComposed(ids, whole(w)));
}

const known = new WeakMap<tf.Tensor, Float32Array>();

/**
 * All of W as a tensor, which is created in each call. The numbers of W are kept in main memory for as long as the
 * tensor `words` exists.
 */
function whole(w: FrozenMatrix): tf.Tensor2D {
  const { words, rows, columns } = w;
  let values = known.get(words);
  if (!values) known.set(words, (values = dequantized(words.dataSync<'int32'>(), w)));
  return tf.tensor2d(values, [rows, columns]);
}
