// The gradients of a loss. TensorFlow.js records on a tape the tensors that the forward pass saves for the backward
// pass. The backward pass is implemented here, because tf.grads keeps every gradient and every saved tensor until the
// pass is over. They would take more than half of the memory of training.
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
 * Computes f(x) and keeps only x. The backward pass computes f again, and the tensors that it saves exist only from
 * then on.
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
 * The value of f, and the gradients of Σ dy·f with respect to each of `xs`; a gradient is undefined if f does not
 * depend on the tensor. The function may run in the backward pass of another call. The tape is global, so the outer
 * tape is put away while the function runs.
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
 * The gradients of `xs`. Every other gradient is freed as soon as it has been passed on, together with the tensors
 * saved for its step.
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
        // Each gradient is cloned, because one tensor may be the gradient of several inputs, or the incoming gradient
        // itself.
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
