// Token embedding. Without a fused kernel, the gradient is computed by a product with a one-hot matrix. The reason is
// that tfjs-wasm has no gradient for gather, and that the gradient on WebGPU adds numbers in no fixed order, so its
// results are not reproducible.
import * as tf from '@tensorflow/tfjs-core';
import { countUp } from '../constants.ts';
import { expectShape, hasKernel, runKernel, withGradient } from '../kernel.ts';

tf.registerGradient({
  kernelName: 'Embed',
  inputsToSave: ['ids', 'table'],
  gradFunc: (dy, saved) => {
    const [ids, table] = saved as [tf.Tensor, tf.Tensor];
    return { table: () => runKernel('EmbedGrad', { ids, dy: dy as tf.Tensor }, { vocabulary: table.shape[0] }) };
  },
});

/**
 * The row of a table for each id.
 * @param ids [N] int32, each in [0, V)
 * @param table [V, C]
 * @returns [N, C]; differentiable in the table
 * @throws ShapeError if ids is not an int32 vector or, in a fused kernel, contains an id outside [0, V)
 */
export function embed(ids: tf.Tensor1D, table: tf.Tensor2D): tf.Tensor2D {
  expectShape('embed: ids', ids, [ids.size], 'int32');
  return hasKernel('Embed') ? runKernel('Embed', { ids, table }) : embedComposed(ids, table);
}

/**
 * Whether it is faster to compute only some rows of a tensor and select them by `embed`, even if their number varies.
 * It is slower if embeddings are products with one-hot matrices. It is also slower on WebGPU, where recorded steps have
 * fixed shapes and an additional dispatch takes more time than it saves.
 */
export const picksRows = (): boolean => hasKernel('Embed') && tf.getBackend() !== 'webgpu';

/**
 * The composed form of the embedding, which consists of TensorFlow.js operations. It is the reference for every kernel.
 */
export function embedComposed(ids: tf.Tensor1D, table: tf.Tensor2D): tf.Tensor2D {
  return withGradient<tf.Tensor2D>([table], ([rows], save) => {
    save([ids]);
    const vocabulary = table.shape[0];
    return {
      value: tf.gather(rows as tf.Tensor2D, ids),
      gradients: (dy, [idsSaved]) => {
        const chosen = tf.reshape(idsSaved as tf.Tensor1D, [1, ids.size]);
        const isToken = tf.equal(tf.reshape(countUp(vocabulary), [vocabulary, 1]), chosen); // [V, N]
        return [tf.matMul(tf.cast(isToken, 'float32') as tf.Tensor2D, dy)];
      },
    };
  });
}
