// How much of a batch goes to the engine at once, in tokens (rows · columns): what keeps the worker responsive, and
// where memory is short what fits.
import * as tf from '@tensorflow/tfjs-core';
import { parameterCount } from '../../config/sizes.ts';
import { mostKeptBytes } from '../../model/decoding/decodingStates.ts';
import { learningBytes, passBytes } from '../../model/network/passMemory.ts';
import type { Network } from '../team/network.ts';

type Placed = Pick<Network, 'shape' | 'roomBytes' | 'adapter'>;

/**
 * Tokens of a microbatch with gradients, in rows of this length: about a tenth of a second of work on two cores, so that
 * the worker stays responsive. A graphics processor takes a usual minibatch whole, in one submission.
 */
export function updateTokens({ shape, roomBytes = Infinity, adapter }: Placed, length: number): number {
  const most = tf.getBackend() === 'webgpu' ? 8192 : 3072;
  // The gradients, and of adapters the weights that they are merged into on the way.
  const fixedBytes = 4 * parameterCount(shape) * (adapter ? 4 : 2);
  return Math.min(most, Math.floor((roomBytes - mostKeptBytes - fixedBytes) / learningBytes(shape, length)));
}

/** Tokens of a microbatch without gradients, of which less is kept. */
export function scoringTokens({ shape, roomBytes = Infinity }: Placed, length: number): number {
  return Math.min(6144, Math.floor((roomBytes - mostKeptBytes) / passBytes(shape, length)));
}
