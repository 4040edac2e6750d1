// Log-probabilities and entropies of the tokens after hidden states. With a large vocabulary, the logits of all states
// together would take more memory than the network. Logits are therefore computed for only some states at a time, and
// are computed again in the backward pass.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { recomputed } from '../../engine/gradients.ts';
import { tokenLogprobs, type TokenLogprobs } from '../../engine/ops/tokens/tokenLogprobs.ts';
import { headName, logits } from './llama.ts';
import { mostLogits } from './passMemory.ts';
import { isFrozen, type WeightTree } from './parameters.ts';

export interface Head {
  tree: WeightTree;
  shape: ModelShape;
  temperature: number;
  /** The maximum number of logits that are in memory at the same time. */
  most?: number;
}

/**
 * hidden [N, C], ids [N] int32 → log-probability and entropy [N] under softmax(logits / temperature). The results are
 * differentiable.
 */
export function headLogprobs(hidden: tf.Tensor2D, ids: tf.Tensor1D, head: Head): TokenLogprobs {
  const { tree, shape, temperature, most = mostLogits } = head;
  const rows = Math.max(1, Math.floor(most / shape.vocabSize));
  const [count, width] = hidden.shape;
  // The states are not split into parts if the head is trained, because the gradients of the head would have to be
  // added up over the parts.
  if (count <= rows || !isFrozen(tree, headName(shape)))
    return tokenLogprobs(logits(hidden, tree, shape), ids, temperature);
  const parts = Array.from({ length: Math.ceil(count / rows) }, (_, part) => {
    const [from, size] = [part * rows, Math.min(rows, count - part * rows)];
    const ofPart = (x: tf.Tensor2D) => {
      const targets = tf.slice(ids, [from], [size]); // again in the backward pass
      const { logprobs, entropy } = tokenLogprobs(logits(x, tree, shape), targets, temperature);
      return tf.stack([logprobs, entropy]) as tf.Tensor2D;
    };
    return recomputed(ofPart, tf.slice(hidden, [from, 0], [size, width]));
  });
  const all = tf.concat(parts, 1);
  const line = (i: number) => tf.reshape(tf.slice(all, [i, 0], [1, count]), [count]) as tf.Tensor1D;
  return { logprobs: line(0), entropy: line(1) };
}
