// The linear map without bias and its gradients, for sizes that are multiples of four.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, input, programOf, reads } from '../../webgpu/program/kernel.ts';
import { linearGradText, linearText, type Tile } from './wgsl.ts';
import { groupSize, type Variant } from '../../webgpu/program/program.ts';

/** Tiles of an output from which one thread for each keeps a graphics processor busy. */
const manyTiles = 2048;

export function linearKernels(): tf.KernelConfig[] {
  return [
    declare('Linear', (call) => {
      const { recorder } = call;
      const [rows, inner] = input(call, 'x').shape as [number, number];
      const outs = input(call, 'w').shape[0] as number;
      const y = recorder.allocate([rows, outs]);
      const tile = tileOf(recorder.variant, outs);
      const variant = tilesIn(rows, outs, tile) < manyTiles ? recorder.variant : 'solo';
      recorder.run({
        program: programOf(`Linear ${name(tile)}`, variant, () => linearText(variant, tile)),
        writes: { y: as('vec4<f32>', y) },
        reads: reads(call, 'vec4<f32>', 'x', 'w'),
        sizes: { rows, inner, outs },
        items: tilesIn(rows, outs, tile),
      });
      return y;
    }),
    declare('LinearGrad', (call) => {
      const { recorder } = call;
      const { variant } = recorder;
      const [rows, inner] = input(call, 'x').shape as [number, number];
      const outs = input(call, 'w').shape[0] as number;
      const [dx, dw] = [recorder.allocate([rows, inner]), recorder.allocate([outs, inner])];
      const tile = tileOf(variant, inner);
      const tiles = { dx: tile, dw: { ...tile, rows: tileOf(variant, outs).columns } };
      const inputBlocks = Math.ceil(tilesIn(rows, inner, tiles.dx) / groupSize);
      recorder.run({
        program: programOf(`LinearGrad ${name(tiles.dx)} ${name(tiles.dw)}`, variant, () =>
          linearGradText(variant, tiles),
        ),
        writes: { dx: as('vec4<f32>', dx), dw: as('vec4<f32>', dw) },
        reads: reads(call, 'vec4<f32>', 'x', 'w', 'dy'),
        sizes: { rows, inner, outs, inputBlocks },
        items: inputBlocks * (variant === 'team' ? 1 : groupSize) + tilesIn(outs, inner, tiles.dw),
      });
      return [dx, dw];
    }),
  ];
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
