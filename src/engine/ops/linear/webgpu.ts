// The linear map without bias and its gradients, for sizes that are multiples of four.
import { as, declare, input, type ProgramCall, reads } from '../../webgpu/program/kernel.ts';
import { groupSize, type Variant } from '../../webgpu/program/program.ts';
import { multiply, type Product, wantsProduct } from './products.ts';
import { inputGradText, linearGradText, linearText, type Tile } from './wgsl.ts';

/** If there are more output tiles than this, a graphics processor has enough work with one thread per tile. */
const manyTiles = 2048;

const needs = {
  buffers: 5,
  sharedBytes: 16384,
  accepts: ([x, w]: readonly { shape: number[] }[]) =>
    !x || !w || [x.shape[1], w.shape[0]].every((size) => size !== undefined && size % 4 === 0),
};

export const linearKernels = [
  declare('Linear', needs, (call) => {
    const { recorder } = call;
    const [rows, inner] = input(call, 'x').shape as [number, number];
    const outs = input(call, 'w').shape[0] as number;
    const product = productOf(call, 'forward');
    if (wantsProduct(recorder, product)) return multiply(recorder, product).to;
    const y = recorder.allocate([rows, outs]);
    const tile = tileOf(recorder.variant, outs);
    const items = tilesIn(rows, outs, tile);
    const variant = items < manyTiles ? recorder.variant : 'solo';
    recorder.run({
      program: { key: `Linear ${name(tile)}`, variant, text: () => linearText(variant, tile) },
      writes: { y: as('vec4<f32>', y) },
      reads: reads(call, 'vec4<f32>', 'x', 'w'),
      sizes: { rows, inner, outs },
      items,
    });
    return y;
  }),
  declare('LinearGrad', null, (call) => {
    const { recorder } = call;
    const { variant } = recorder;
    const [rows, inner] = input(call, 'x').shape as [number, number];
    const outs = input(call, 'w').shape[0] as number;
    const tile = tileOf(variant, inner);
    if (call.attrs['isFrozen'] === true) {
      const product = productOf(call, 'back');
      if (wantsProduct(recorder, product)) return [multiply(recorder, product).to];
      const dx = recorder.allocate([rows, inner]);
      const items = tilesIn(rows, inner, tile);
      recorder.run({
        program: { key: `LinearGrad of x ${name(tile)}`, variant: 'solo', text: () => inputGradText(tile) },
        writes: { dx: as('vec4<f32>', dx) },
        reads: reads(call, 'vec4<f32>', 'w', 'dy'),
        sizes: { rows, inner, outs },
        items,
      });
      return [dx];
    }
    const [dx, dw] = [recorder.allocate([rows, inner]), recorder.allocate([outs, inner])];
    const tiles = { dx: tile, dw: { ...tile, rows: tileOf(variant, outs).columns } };
    const inputBlocks = Math.ceil(tilesIn(rows, inner, tiles.dx) / groupSize);
    const key = `LinearGrad ${name(tiles.dx)} ${name(tiles.dw)}`;
    recorder.run({
      program: { key, variant, text: () => linearGradText(variant, tiles) },
      writes: { dx: as('vec4<f32>', dx), dw: as('vec4<f32>', dw) },
      reads: reads(call, 'vec4<f32>', 'x', 'w', 'dy'),
      sizes: { rows, inner, outs, inputBlocks },
      items: inputBlocks * (variant === 'team' ? 1 : groupSize) + tilesIn(outs, inner, tiles.dw),
    });
    return [dx, dw];
  }),
];

function productOf(call: ProgramCall, direction: Product['direction']): Product {
  const w = input(call, 'w');
  const [lines, columns] = w.shape as [number, number];
  return {
    direction,
    from: input(call, direction === 'forward' ? 'x' : 'dy'),
    weight: { info: w, format: 'f32', lines, columns },
  };
}

function tileOf(variant: Variant, columns: number): Tile {
  return variant === 'team' ? { rows: 4, columns: 4 } : { rows: 8, columns: columns % 8 === 0 ? 8 : 4 };
}

function tilesIn(rows: number, columns: number, tile: Tile): number {
  return Math.ceil(rows / tile.rows) * (columns / tile.columns);
}

function name({ rows, columns }: Tile): string {
  return `${String(rows)}x${String(columns)}`;
}
