// Products with frozen matrices, and the rows of frozen matrices as embeddings.
import { computeOne, declare, expectKnownIds, input, type KernelCall, shapeOf, sizeOf } from '../../simd/kernel.ts';
import { type FrozenFormat, type FrozenMatrix, frozenFormats } from './frozenMatrix.ts';

/**
 * The number of floats of scratch memory, as in frozen.assembly.ts: for columns of x that are not adjacent, for eight
 * rows of W, and for a block of panels.
 */
const productScratch = 4096 + 8 * 256 + 256 * 256;
/** If x has at most this many rows, W is not copied into panels. */
const fewRows = 8;

export const frozenKernels = [
  declare('FrozenLinear', (call) => {
    const { wasm } = call.backend;
    const { code, rows, columns } = matrixOf(call);
    const [m] = shapeOf(call, 'x');
    const isFew = m <= fewRows;
    const work = { from: ['x', 'words'], to: { y: [m, rows] }, scratch: isFew ? 4 * columns : productScratch } as const;
    return computeOne(call, work, ({ x, words, y, scratch }) => {
      if (isFew) wasm.frozenFew(x, words, y, m, rows, columns, code, rows, scratch);
      else wasm.frozenMatmul(x, words, y, m, rows, columns, code, 0, scratch);
    });
  }),
  declare('FrozenLinearGrad', (call) => {
    const { code, rows, columns } = matrixOf(call);
    const [m] = shapeOf(call, 'dy');
    const work = { from: ['dy', 'words'], to: { dx: [m, columns] }, scratch: productScratch } as const;
    return computeOne(call, work, ({ dy, words, dx, scratch }) => {
      call.backend.wasm.frozenMatmul(dy, words, dx, m, rows, columns, code, 1, scratch);
    });
  }),
  declare('FrozenEmbed', (call) => {
    const { code, rows, columns } = matrixOf(call);
    const count = sizeOf(input(call, 'ids'));
    return computeOne(call, { from: ['ids', 'words'], to: { out: [count, columns] } }, ({ ids, words, out }) =>
      expectKnownIds(call, call.backend.wasm.frozenEmbed(ids, words, out, count, rows, columns, code), rows),
    );
  }),
];

function matrixOf({ attrs }: KernelCall): Pick<FrozenMatrix, 'rows' | 'columns'> & { code: number } {
  const { format, rows, columns } = attrs as { format: FrozenFormat; rows: number; columns: number };
  return { code: frozenFormats.indexOf(format), rows, columns };
}
