// The embedding: copies the row for each id, and in the gradient adds up the gradients of equal ids.
import { computeOne, declare, expectKnownIds, shapeOf, sizeOf, input } from '../../simd/kernel.ts';

export const embedKernels = [
  declare('Embed', (call) => {
    const [vocabulary, width] = shapeOf(call, 'table');
    const rows = sizeOf(input(call, 'ids'));
    return computeOne(call, { from: ['ids', 'table'], to: { out: [rows, width] } }, ({ ids, table, out }) =>
      expectKnownIds(call, call.backend.wasm.embed(ids, table, out, rows, vocabulary, width), vocabulary),
    );
  }),
  declare('EmbedGrad', (call) => {
    const [rows, width] = shapeOf(call, 'dy');
    const vocabulary = call.attrs['vocabulary'] as number;
    return computeOne(call, { from: ['ids', 'dy'], to: { dTable: [vocabulary, width] } }, ({ ids, dy, dTable }) =>
      expectKnownIds(call, call.backend.wasm.embedGrad(ids, dy, dTable, rows, vocabulary, width), vocabulary),
    );
  }),
];
