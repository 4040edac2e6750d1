// The most likely tokens after hidden states. Logits are computed for some states at a time, and only a few numbers are
// kept for each state. The logits of a large vocabulary are therefore never all in memory.
import * as tf from '@tensorflow/tfjs-core';
import { topTokens, type TopTokens } from '../../engine/ops/tokens/topTokens.ts';
import type { Head } from './headLogprobs.ts';
import { logits } from './llama.ts';
import { mostLogits } from './passMemory.ts';

/**
 * hidden [N, C], ids [N] int32 → the `k` most likely tokens after each state, or all tokens if the vocabulary is
 * smaller. The result is not differentiable.
 */
export function headTopTokens(
  hidden: tf.Tensor2D,
  ids: tf.Tensor1D,
  { tree, shape, temperature, most = mostLogits, k: wanted }: Head & { k: number },
): TopTokens {
  const rows = Math.max(1, Math.floor(most / shape.vocabSize));
  const k = Math.min(wanted, shape.vocabSize);
  const [count, width] = hidden.shape;
  return tf.tidy(() => {
    const parts = Array.from({ length: Math.ceil(count / rows) }, (_, part) =>
      tf.tidy(() => {
        const [from, size] = [part * rows, Math.min(rows, count - part * rows)];
        const states = tf.slice(hidden, [from, 0], [size, width]);
        return { ...topTokens(logits(states, tree, shape), tf.slice(ids, [from], [size]), { temperature, k }) };
      }),
    );
    const whole = (name: keyof TopTokens) => tf.concat(parts.map((part): tf.Tensor => part[name]));
    const names = ['topIds', 'topLogprobs', 'logprobs', 'entropy', 'ranks'] as const;
    return Object.fromEntries(names.map((name) => [name, whole(name)])) as unknown as {
      [Name in keyof TopTokens]: TopTokens[Name];
    };
  });
}
