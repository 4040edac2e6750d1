// y = x·wᵀ, where the weight is stored as [out, in], as in Hugging Face checkpoints.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { hasKernel, registerKernelGradient, runKernel, withGradient } from '../kernel.ts';

registerKernelGradient('Linear', { saves: ['x', 'w'], of: ['x', 'w'] });

/**
 * Linear map without bias.
 * @param x [N, I]
 * @param w [O, I]
 * @param isFrozen if set, no gradient of w is computed, which saves half of the backward pass
 * @returns [N, O]
 * @throws ShapeError if the inner sizes differ
 */
export function linear(x: tf.Tensor2D, w: tf.Tensor2D, isFrozen = false): tf.Tensor2D {
  if (x.rank !== 2 || w.rank !== 2 || x.shape[1] !== w.shape[1])
    throw new ShapeError(
      `linear: x must be [N, I] and w [O, I], got x [${x.shape.join(', ')}] and w [${w.shape.join(', ')}]; reshape x to two dimensions and check the transpose of w.`,
    );
  if (hasKernel('Linear', x, w)) return runKernel('Linear', { x, w }, { isFrozen });
  // tfjs-wasm is only fast if no operand is marked as transposed; for other backends this makes no difference.
  if (tf.getBackend() !== 'wasm') return tf.matMul(x, w, false, true);
  return withGradient([x, w], ([input, weight], save) => {
    save([input as tf.Tensor, weight as tf.Tensor]);
    return {
      value: tf.matMul(input as tf.Tensor2D, tf.transpose(weight as tf.Tensor2D)),
      gradients: (dy, [xSaved, wSaved]) => [
        tf.matMul(dy, wSaved as tf.Tensor2D),
        tf.matMul(tf.transpose(dy), xSaved as tf.Tensor2D),
      ],
    };
  });
}
