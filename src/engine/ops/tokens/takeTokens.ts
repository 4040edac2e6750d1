// Samples one token for each row as `sampleTokens` does, and updates the tensors of a decoding session accordingly.
// Otherwise these updates would need separate operations, or a transfer to main memory and back.
import type * as tf from '@tensorflow/tfjs-core';
import { runInPlace } from '../inPlace/inPlace.ts';
import { expectShape } from '../kernel.ts';
import { expectTemperature } from './tokenLogprobs.ts';

/** All inputs except `logits`, `uniforms`, `starts` and `state` are changed. */
export interface TakeTokensInputs {
  /** [B] int32: the token drawn. */
  ids: tf.Tensor1D;
  /**
   * [W, 2, B]: the id and log-probability for every step of the turn, so that the results of the whole turn can be read
   * at once.
   */
  out: tf.Tensor3D;
  /** [B, V]: the logits after the newest token. */
  logits: tf.Tensor2D;
  /** [W, B], each in [0, 1): the random numbers of the turn. */
  uniforms: tf.Tensor2D;
  /** [B] float32: 1 while a row's turn continues; 0 from the token after its end. */
  alive: tf.Tensor1D;
  /** [B, cap] float32: the slot of the next token becomes visible if the turn of its row continues. */
  mask: tf.Tensor2D;
  /** [B] int32: position of each row's first token of this turn. */
  starts: tf.Tensor1D;
  /** [B] int32: the position that the drawn token will have. */
  positions: tf.Tensor1D;
  /**
   * int32 [2]: the number of slots in use, and the step t of the turn; the caller must ensure that state[0] < cap and t
   * < W.
   */
  state: tf.Tensor1D;
}

export interface TakeTokensOptions {
  /** > 0 */
  temperature: number;
  /** Tokens that end a turn. */
  endIds: readonly number[];
  /**
   * The index of the last row of the rotary tables. The positions of rows whose turn has ended do not exceed this
   * index.
   */
  maxPosition: number;
}

/**
 * With t = state[1] and slot = state[0]: ids ← tokens sampled from softmax(logits / temperature) with uniforms[t];
 * out[t] ← ids and their log-probabilities; mask[:, slot] ← alive; positions ← min(starts + t, maxPosition); alive ← 0
 * where an id is one of `endIds`.
 * @throws ShapeError if shapes do not fit together; ConfigError if the temperature is not positive
 */
export function takeTokens(inputs: TakeTokensInputs, options: TakeTokensOptions): void {
  const { ids, out, logits, uniforms, alive, mask, starts, positions, state } = inputs;
  const rows = logits.shape[0];
  for (const [name, vector] of Object.entries({ ids, starts, positions }))
    expectShape(`takeTokens: ${name}`, vector, [rows], 'int32');
  expectShape('takeTokens: alive', alive, [rows]);
  expectShape('takeTokens: out', out, [uniforms.shape[0], 2, rows]);
  expectShape('takeTokens: uniforms', uniforms, [out.shape[0], rows]);
  expectShape('takeTokens: mask', mask, [rows, mask.shape[1]]);
  expectShape('takeTokens: state', state, [2], 'int32');
  expectTemperature('takeTokens', options.temperature);
  runInPlace('TakeTokens', { ids, out, logits, uniforms, alive, mask, starts, positions, state }, options);
}
