// The random numbers of a turn, made where they are used: only the address at which each row's numbers begin is uploaded.
import type * as tf from '@tensorflow/tfjs-core';
import { runInPlace } from '../inPlace/inPlace.ts';
import { expectShape } from '../kernel.ts';

/**
 * uniforms[t, b] ← `uniformAt(addresses[b], t)` of base/random.ts, bit for bit.
 * @param uniforms float32 [W, B]; changed
 * @param addresses int32 [B], the 32 bits of each address
 * @throws ShapeError when there is not one address a row.
 */
export function drawUniforms(uniforms: tf.Tensor2D, addresses: tf.Tensor1D): void {
  expectShape('drawUniforms: addresses', addresses, [uniforms.shape[1]], 'int32');
  runInPlace('DrawUniforms', { uniforms, addresses });
}
