// The embedding: copies the row for each id, and in the gradient adds up the gradients of equal ids.
import { as, declare, input, reads, sizeOf, valuesOf, valueText } from '../../webgpu/program/kernel.ts';
import { rowsOf } from '../frozen/webgpu.ts';
import { partsOfWeight } from '../linear/products.ts';
import { reductions } from '../../webgpu/program/program.ts';

// For an id outside the vocabulary, the result is a row of zeros, as in a product with a one-hot matrix.
const forward = `
  let id = u32(ids[item / sizes.width]);
  if (id < sizes.vocabulary) { y[item] = rows[id * sizes.width + item % sizes.width]; } else { y[item] = V(); }`;

const backward = `
  let token = i32(item / sizes.width);
  let column = item % sizes.width;
  var sum = V();
  for (var n = lane; n < sizes.rows; n += lanes) {
    if (ids[n] == token) { sum += dy[n * sizes.width + column]; }
  }
  sum = total(sum, lane);
  if (lane == 0u) { dTable[item] = sum; }`;

export const embedKernels = [
  declare('Embed', { buffers: 3, sharedBytes: 1024 }, (call) => {
    const table = input(call, 'table');
    const [vocabulary, columns] = table.shape as [number, number];
    const weight = { info: table, format: 'f32', lines: vocabulary, columns } as const;
    if (columns % 4 === 0 && partsOfWeight(call.recorder, weight).length > 1) return rowsOf(call, weight);
    const count = sizeOf(input(call, 'ids'));
    const y = call.recorder.allocate([count, columns]);
    const { type, width } = valuesOf(columns);
    call.recorder.run({
      program: { key: `Embed ${type}`, variant: 'solo', text: () => ({ functions: valueText(type), body: forward }) },
      writes: { y: as(type, y) },
      reads: { ...reads(call, 'i32', 'ids'), rows: as(type, table) },
      sizes: { width, vocabulary },
      items: count * width,
    });
    return y;
  }),
  declare('EmbedGrad', null, (call) => {
    const { recorder } = call;
    const { variant } = recorder;
    const [rows, columns] = input(call, 'dy').shape as [number, number];
    const vocabulary = call.attrs['vocabulary'] as number;
    const dTable = recorder.allocate([vocabulary, columns]);
    const { type, width } = valuesOf(columns);
    const text = () => ({ functions: valueText(type) + reductions(variant, type), body: backward });
    recorder.run({
      program: { key: `EmbedGrad ${type}`, variant, text },
      writes: { dTable: as(type, dTable) },
      reads: { ...reads(call, 'i32', 'ids'), ...reads(call, type, 'dy') },
      sizes: { rows, width },
      items: vocabulary * width,
    });
    return dTable;
  }),
];
