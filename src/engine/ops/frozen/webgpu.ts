// Products with frozen matrices on WebGPU, and the rows of frozen matrices as embeddings. The weights stay on the
// device in their stored form. If the device cannot bind them all at once, they are divided into parts.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, input, type ProgramCall, reads, sizeOf } from '../../webgpu/program/kernel.ts';
import { multiply, partsOfWeight, type Weight } from '../linear/products.ts';
import type { FrozenFormat } from './frozenMatrix.ts';
import { weightText } from './wgsl.ts';

// For an unknown id, the result is a row of zeros. If the matrix is in parts, the program for the first part writes
// these zeros.
const rowsOfIds = `
  let id = u32(ids[item / sizes.width]);
  let at = id - sizes.firstLine;
  if (id >= sizes.firstLine && at < sizes.lines) { to[item] = wQuad(at, item % sizes.width); }
  else if (sizes.firstLine == 0u && id >= sizes.allLines) { to[item] = vec4<f32>(); }`;

export const frozenKernels = [
  declare(
    'FrozenLinear',
    { buffers: 3, sharedBytes: 16384 },
    (call) => multiply(call.recorder, { direction: 'forward', from: input(call, 'x'), weight: weightOf(call) }).to,
  ),
  declare(
    'FrozenLinearGrad',
    null,
    (call) => multiply(call.recorder, { direction: 'back', from: input(call, 'dy'), weight: weightOf(call) }).to,
  ),
  declare('FrozenEmbed', { buffers: 3 }, (call) => rowsOf(call, weightOf(call))),
];

/** The row of a matrix for each of the `ids` of the call: [ids, columns]. */
export function rowsOf(call: ProgramCall, weight: Weight): tf.TensorInfo {
  const { recorder } = call;
  const { format, columns, lines: allLines } = weight;
  const count = sizeOf(input(call, 'ids'));
  const to = recorder.allocate([count, columns]);
  const width = columns / 4;
  for (const { slot, first, lines, start } of partsOfWeight(recorder, weight))
    recorder.run({
      program: {
        key: `FrozenEmbed ${format}`,
        variant: 'solo',
        text: () => ({ functions: weightText(format), body: rowsOfIds }),
      },
      writes: { to: as('vec4<f32>', to) },
      reads: { ...reads(call, 'i32', 'ids'), w: slot },
      sizes: { columns, width, lines, allLines, firstLine: first, start },
      items: count * width,
    });
  return to;
}

function weightOf(call: ProgramCall): Weight {
  const { format, rows, columns } = call.attrs as { format: FrozenFormat; rows: number; columns: number };
  return { info: input(call, 'words'), format, lines: rows, columns };
}
