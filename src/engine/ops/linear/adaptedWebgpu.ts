// The linear map with an adapter: one dispatch for y, one for dx, and one for the gradients of A and B.
import * as tf from '@tensorflow/tfjs-core';
import { as, declare, input, type KernelCall } from '../../webgpu/program/kernel.ts';
import type { WeightFormat } from '../frozen/wgsl.ts';
import { pairGradText, pairTile } from './pairWgsl.ts';
import { multiply, type Product, takesRank } from './products.ts';

const needs = {
  buffers: 6,
  sharedBytes: 16384,
  /** x, the matrix, A and B. */
  accepts: ([x, w, a, b]: readonly tf.Tensor[]) => {
    if (!x || !w || !a || !b) return true;
    const { device } = tf.backend() as unknown as { device: GPUDevice };
    const isWhole = 4 * w.size <= device.limits.maxStorageBufferBindingSize;
    const sizes = [x.shape[1], b.shape[0]];
    return isWhole && takesRank(a.shape[0] as number) && sizes.every((size) => size !== undefined && size % 4 === 0);
  },
};

export const adaptedKernels = [
  declare('AdaptedLinear', needs, (call) => {
    const { to, narrow } = multiply(call.recorder, productOf(call, 'forward'));
    return [to, narrow as tf.TensorInfo];
  }),
  declare('AdaptedLinearGrad', null, (call) => {
    const { recorder } = call;
    const { variant } = recorder;
    const { to: dx, narrow: dNarrow } = multiply(recorder, productOf(call, 'back'));
    const [x, a, b, dy] = [input(call, 'x'), input(call, 'a'), input(call, 'b'), input(call, 'dy')];
    const [rows, columns] = x.shape as [number, number];
    const [lines, rank] = b.shape as [number, number];
    const [da, db] = [recorder.allocate(a.shape), recorder.allocate(b.shape)];
    const quads = Math.ceil(rank / 4);
    const tile = pairTile(variant, columns / 4);
    const [aTiles, bTiles] = [(quads * columns) / 4 / tile, (quads * lines) / 4];
    const isQuads = rank % 4 === 0;
    recorder.run({
      program: {
        key: `PairGrad ${tile} ${isQuads}`,
        variant,
        text: () => pairGradText(variant, { tile, isQuads }),
      },
      writes: { da: as('vec4<f32>', da), db: as(isQuads ? 'vec4<f32>' : 'f32', db) },
      reads: {
        x: as('vec4<f32>', x),
        dy: as('vec4<f32>', dy),
        narrow: as('vec4<f32>', input(call, 'narrow')),
        dNarrow: as('vec4<f32>', dNarrow as tf.TensorInfo),
      },
      sizes: { rows, across: columns / 4, quads, outs: lines / 4, rank, aTiles },
      constants: { scale: call.attrs['scale'] as number },
      items: aTiles + bTiles,
    });
    recorder.release(dNarrow as tf.TensorInfo);
    return [dx, da, db];
  }),
];

function productOf(call: KernelCall, direction: Product['direction']): Product {
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
