// The gradients of a loss. TensorFlow.js records the operations of the forward pass and the tensors that they save for
// the backward pass in a list, the tape. The backward pass is implemented here, because tf.grads keeps every gradient
// and every saved tensor until the pass is over, which would be more than half of the memory needed for training.
import * as tf from '@tensorflow/tfjs-core';

type TapeNode = NonNullable<ReturnType<typeof tf.engine>['state']['activeTape']>[number];

/**
 * The loss and its gradient with respect to each variable, by the variable's name; the caller disposes both. Tensors
 * saved by the forward pass are freed, even if it throws.
 */
export function lossAndGradients(
  loss: () => tf.Scalar,
  variables: tf.Variable[],
): { value: tf.Scalar; grads: tf.NamedTensorMap } {
  const { value, grads } = gradientsOf(loss, variables);
  const named = variables.flatMap(({ name }, i) => (grads[i] ? [[name, grads[i]] as const] : []));
  return { value, grads: Object.fromEntries(named) };
}

/**
 * Computes f(x) and keeps only x for the backward pass. The backward pass computes f again, so the tensors that f saves
 * exist only while they are needed.
 * @param variables the other variables on which f depends and which get a gradient
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
    const gradFunc = (dy: T, [saved]: tf.Tensor[]) => {
      const from = [saved as tf.Tensor2D, ...variables];
      const { value, grads } = gradientsOf(() => f(saved as tf.Tensor2D), from, dy);
      value.dispose();
      return grads.map((grad, i) => grad ?? tf.zerosLike(from[i] as tf.Tensor));
    };
    return { value: f(input), gradFunc };
  });
  return op(x, ...variables) as T;
}

/**
 * Computes the value of f, and the gradient of Σ dy·f with respect to each of `xs`, which is undefined if f does not
 * depend on it. The function may be called during the backward pass of another call. TensorFlow.js has only one tape,
 * so the other call's tape is set aside meanwhile.
 */
function gradientsOf<T extends tf.Tensor>(
  f: () => T,
  xs: readonly tf.Tensor[],
  dy?: T,
): { value: T; grads: (tf.Tensor | undefined)[] } {
  const { state } = tf.engine();
  const outer = state.activeTape;
  const tape: TapeNode[] = (state.activeTape = []);
  try {
    const value = tf.tidy(() => {
      state.gradientDepth++;
      try {
        return f();
      } finally {
        state.gradientDepth--;
      }
    });
    const grads = tf.tidy(() => walkBack(tape, { xs, y: value, dy: dy ? tf.clone(dy) : tf.ones(value.shape) }));
    return { value, grads };
  } finally {
    for (const node of tape) forget(node);
    state.activeTape = outer;
  }
}

function forget(node: TapeNode): void {
  tf.dispose(node.saved ?? []);
  node.saved = [];
}

interface Walk {
  xs: readonly tf.Tensor[];
  y: tf.Tensor;
  dy: tf.Tensor;
}

/**
 * Computes the gradients of `xs`. Every other gradient is freed as soon as it has been used, together with the tensors
 * that were saved for its operation.
 */
function walkBack(tape: readonly TapeNode[], { xs, y, dy }: Walk): (tf.Tensor | undefined)[] {
  const depending = new Set(xs.map(({ id }) => id));
  for (const { inputs, outputs } of tape)
    if (Object.values(inputs).some(({ id }) => depending.has(id))) for (const { id } of outputs) depending.add(id);
  const found = new Map([[y.id, dy]]);
  for (const node of tape.toReversed()) {
    const { inputs, outputs, gradient, kernelName } = node;
    const asked = Object.entries(inputs).filter(([, { id }]) => depending.has(id));
    const dys = outputs.map(({ id }) => found.get(id));
    if (asked.length > 0 && dys.some(Boolean)) {
      if (!gradient) throw new Error(`no gradient is registered for ${kernelName}`);
      const own = tf.tidy(() => {
        const functions = gradient(dys as tf.Tensor[]);
        // Each gradient is cloned, because an operation may return the same tensor for several inputs, or may return
        // the gradient of its output unchanged.
        return asked.map(([name]) => tf.clone((functions[name] as () => tf.Tensor)()));
      });
      asked.forEach(([, { id }], i) => found.set(id, sum(found.get(id), own[i] as tf.Tensor)));
    }
    for (const { id } of outputs) {
      found.get(id)?.dispose();
      found.delete(id);
    }
    forget(node);
  }
  return xs.map(({ id }) => found.get(id));
}

function sum(before: tf.Tensor | undefined, more: tf.Tensor): tf.Tensor {
  if (!before) return more;
  const both = tf.add(before, more);
  tf.dispose([before, more]);
  return both;
}
