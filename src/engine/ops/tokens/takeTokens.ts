// Draws one token for each row as `sampleTokens` does and writes it directly into the state of a decoding session,
// including all other updates that would otherwise take separate ops or a transfer to the host and back.
import type * as tf from '@tensorflow/tfjs-core';
import { runInPlace } from '../inPlace/inPlace.ts';
import { expectShape } from '../kernel.ts';
import { expectTemperature } from './tokenLogprobs.ts';

/** All inputs except `logits`, `uniforms`, `starts` and `state` are changed. */
export interface TakeTokensInputs {
  /** [B] int32: the token drawn. */
  ids: tf.Tensor1D;
  /** [W, 2, B]: the id and log-probability of every step of the turn, so that the whole turn is read back at once. */
  out: tf.Tensor3D;
  /** [B, V]: the logits after the newest token. */
  logits: tf.Tensor2D;
  /** [W, B], each in [0, 1): the draws of the turn. */
  uniforms: tf.Tensor2D;
  /** [B] float32: 1 while a row's turn continues; 0 from the token after its end. */
  alive: tf.Tensor1D;
  /** [B, cap] float32: the slot of the next token is visible if the turn of its row continues. */
  mask: tf.Tensor2D;
  /** [B] int32: position of each row's first token of this turn. */
  starts: tf.Tensor1D;
  /** [B] int32: the position that the drawn token will have. */
  positions: tf.Tensor1D;
  /** int32 [2]: slots in use, step t of the turn; the caller ensures state[0] < cap and t < W. */
  state: tf.Tensor1D;
}

export interface TakeTokensOptions {
  /** > 0 */
  temperature: number;
  /** Tokens that end a turn. */
  endIds: readonly number[];
  /** The last row of the rotary tables. The positions of rows that have ended do not go beyond it. */
  maxPosition: number;
}

/**
 * With t = state[1] and slot = state[0]: ids ← a draw from softmax(logits / temperature) by uniforms[t];
 * out[t] ← ids and their log-probabilities; mask[:, slot] ← alive; positions ← min(starts + t, maxPosition);
 * alive ← 0 where an id is one of `endIds`.
 * @throws ShapeError when shapes do not fit; ConfigError when the temperature is not positive.
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
