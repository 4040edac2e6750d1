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
    forgetTape();
    throw error;
  }
}

function forgetTape(): void {
  const { state } = tf.engine();
  tf.dispose((state.activeTape ?? []).flatMap(({ saved = [] }) => saved));
  state.activeTape = [];
}

/**
 * f(x) of which nothing is kept but x: on the way back it is computed once more, and only then what it saves is there.
 * @param variables what else f depends on and is to have a gradient
 */
export function recomputed<T extends tf.Tensor>(
  f: (x: tf.Tensor2D) => T,
  x: tf.Tensor2D,
  variables: readonly tf.Variable[] = [],
): T {
  const op = tf.customGrad((...args) => {
    const save = args.at(-1) as tf.GradSaveFunc;
    const [input] = args as [tf.Tensor2D];
    save([input]);
    const gradFunc = (dy: T, [saved]: tf.Tensor[]) => pulledBack(f, saved as tf.Tensor2D, { variables, dy });
    return { value: f(input), gradFunc };
  });
  return op(x, ...variables) as T;
}

/** The gradients of Σ dy·f in x and in the variables. The tape of the pass that asks is put aside: there is one for all. */
function pulledBack<T extends tf.Tensor>(
  f: (x: tf.Tensor2D) => T,
  x: tf.Tensor2D,
  { variables, dy }: { variables: readonly tf.Variable[]; dy: T },
): tf.Tensor[] {
  const { state } = tf.engine();
  const outer = state.activeTape;
  try {
    const { value, grads } = tf.engine().gradients(() => f(x), [x, ...variables], dy);
    value.dispose();
    return grads.map((grad, i) => (grad as tf.Tensor | undefined) ?? tf.zerosLike([x, ...variables][i] as tf.Tensor));
  } catch (error) {
    forgetTape();
    throw error;
  } finally {
    state.activeTape = outer;
  }
}
