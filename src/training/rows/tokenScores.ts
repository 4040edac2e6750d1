// The probabilities of the tokens of a given text, computed by the same pass over whole rows as in training.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import type { TopTokens } from '../../engine/ops/tokens/topTokens.ts';
import { disposeRows, rowTopTokens, uploadRows } from './forward.ts';
import { layRows } from './rows.ts';
import type { Network } from '../team/network.ts';

export interface ScoreRequest {
  /** The tokens of the text. */
  ids: readonly number[];
  /** Above 0. Probabilities are softmax(logits / temperature). */
  temperature: number;
  /** The number of likeliest tokens that are returned for each place, from 1. */
  k: number;
}

export interface TokenScores {
  /** [T − 1] the log-probability (natural) of each token after the first, given the tokens before it. */
  logprobs: Float32Array;
  /** The number of likeliest tokens for each place, which is at most the size of the vocabulary. */
  k: number;
  /** [(T − 1) · k] the likeliest tokens after each token but the last, best first, and their log-probabilities. */
  topIds: Int32Array;
  topLogprobs: Float32Array;
}

/** Scores a text. Throws ShapeError if the text is longer than the window of the network. */
export async function tokenScores(
  { tree, shape }: Pick<Network, 'tree' | 'shape'>,
  { ids, temperature, k }: ScoreRequest,
): Promise<TokenScores> {
  const { maxPositions } = shape;
  if (ids.length > maxPositions)
    throw new ShapeError(`tokens: expected at most ${maxPositions}, got ${ids.length}; send a shorter text.`);
  const least = Math.min(k, shape.vocabSize);
  if (ids.length < 2)
    return { logprobs: new Float32Array(), k: least, topIds: new Int32Array(), topLogprobs: new Float32Array() };
  const none = ids.map(() => 0);
  const view = { ids: [...ids], isAction: ids.map(() => false), turnIds: none, logprobs: none };
  const rows = uploadRows(layRows([{ index: 0, agent: 0, view }]));
  let top: TopTokens | null = null;
  try {
    top = tf.tidy(() => {
      const { values: _, ...found } = rowTopTokens({ tree, shape }, rows, { temperature, k });
      return found;
    });
    const { logprobs, topIds, topLogprobs } = top;
    return {
      logprobs: await logprobs.data<'float32'>(),
      k: least,
      topIds: await topIds.data<'int32'>(),
      topLogprobs: await topLogprobs.data<'float32'>(),
    };
  } finally {
    if (top) tf.dispose({ ...top });
    disposeRows(rows);
  }
}
