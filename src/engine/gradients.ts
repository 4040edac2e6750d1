// The gradients of a loss. TensorFlow.js keeps what a pass saves for its way back on a tape, and forgets that tape
// where the pass throws, with all that lies on it.
import * as tf from '@tensorflow/tfjs-core';

/**
 * The loss and its gradient in each of the variables, by their names; the caller disposes both. What the pass has
 * saved is freed, also where it throws.
 */
export function lossAndGradients(
  loss: () => tf.Scalar,
  variables: tf.Variable[],
): { value: tf.Scalar; grads: tf.NamedTensorMap } {
  try {
    return tf.variableGrads(loss, variables);
  } catch (error) {
    const { state } = tf.engine();
    tf.dispose((state.activeTape ?? []).flatMap(({ saved = [] }) => saved));
    state.activeTape = [];
    throw error;
  }
}
