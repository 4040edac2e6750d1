// The linear map with an adapter. It takes one or two dispatches for y, and two for all gradients.
import * as tf from '@tensorflow/tfjs-core';
import { declare, input, type ProgramCall } from '../../webgpu/program/kernel.ts';
import type { WeightFormat } from '../frozen/wgsl.ts';
import { mostRank, multiply, multiplyBack, type Pair, type Product } from './products.ts';

const needs = {
  buffers: 7,
  sharedBytes: 16384,
  /** The operands are x, the matrix, A and B. */
  accepts: ([x, w, a, b]: readonly tf.Tensor[]) => {
    if (!x || !w || !a || !b) return true;
    const { device } = tf.backend() as unknown as { device: GPUDevice };
    const isWhole = 4 * w.size <= device.limits.maxStorageBufferBindingSize;
    const sizes = [x.shape[1], b.shape[0]];
    return isWhole && (a.shape[0] as number) <= mostRank && sizes.every((size) => size !== undefined && size % 4 === 0);
  },
};

export const adaptedKernels = [
  declare('AdaptedLinear', needs, (call) => {
    const { to, narrow } = multiply(call.recorder, productOf(call, 'forward'));
    return [to, narrow as tf.TensorInfo];
  }),
  declare('AdaptedLinearGrad', null, (call) => {
    const passed = { x: input(call, 'x'), narrow: input(call, 'narrow') };
    const { dx, da, db } = multiplyBack(call.recorder, productOf(call, 'back'), passed);
    return [dx, da, db];
  }),
];

function productOf(call: ProgramCall, direction: Product['direction']): Product & { pair: Pair } {
  const { format, rows, columns, scale } = call.attrs as {
    format: WeightFormat;
    rows: number;
    columns: number;
    scale: number;
  };
  const [a, b] = [input(call, 'a'), input(call, 'b')];
  return {
    direction,
    from: input(call, direction === 'forward' ? 'x' : 'dy'),
    weight: { info: input(call, 'w'), format, lines: rows, columns },
    pair: { a, b, rank: a.shape[0] as number, scale },
  };
}
