// Token embedding. The gradient is a one-hot matrix product, because the gradient of gather is missing in tfjs-wasm; on
// WebGPU it adds numbers in no fixed order, so it is not reproducible.
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
 * Rows of a table.
 * @param ids [N] int32, each in [0, V)
 * @param table [V, C]
 * @returns [N, C]; differentiable in the table
 * @throws ShapeError when ids is not an int32 vector or, in a fused kernel, contains an id outside [0, V).
 */
export function embed(ids: tf.Tensor1D, table: tf.Tensor2D): tf.Tensor2D {
  expectShape('embed: ids', ids, [ids.size], 'int32');
  return hasKernel('Embed') ? runKernel('Embed', { ids, table }) : embedComposed(ids, table);
}

/**
 * Whether it is faster to compute only some rows of a tensor, whatever their number. This is not so if embeddings are
 * one-hot products. It is not so on WebGPU either, where recorded steps have fixed shapes and an extra dispatch costs
 * more than it saves.
 */
export const picksRows = (): boolean => hasKernel('Embed') && tf.getBackend() !== 'webgpu';

/** This op composed of stock ops, as the reference for every kernel. */
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
