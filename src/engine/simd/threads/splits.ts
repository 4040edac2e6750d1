// Defines how calls of the kernels are split into independent parts. A split states which argument is the number of
// rows (or batch entries, or elements), and how many bytes each pointer moves from one row to the next. A part computes
// its rows exactly as the whole call would, so results are identical for any number of threads.
import type { WasmExports } from '../wasmExports.ts';

type Moves = readonly (readonly [pointer: number, bytes: number])[];

/** How a call can be split. */
export interface CallSplit {
  /** The index of the argument that is the number of rows. */
  count: number;
  /** The index of each pointer that moves, and the number of bytes that it moves per row. */
  moves: Moves;
  /** The number of rows in a part is a multiple of this number, except in the last part. */
  multiple?: number;
  /** Estimated time for one row on one thread, in nanoseconds. */
  rowNs: number;
  /** Time in nanoseconds that each part takes in addition to the time for its rows. */
  partNs?: number;
  /** Whether the last argument is scratch memory, of which each thread needs its own. */
  hasScratch?: boolean;
  /** Whether the result of the kernel is the first row that it refused (−1 if there is none). */
  namesBadRow?: boolean;
  /**
   * The index of a pointer to floats that are sums over all rows. Each part has exactly `multiple` rows and writes its
   * own sums. These are added in the same order in which the kernel itself adds the sums over that many rows.
   */
  sum?: { pointer: number; floats: number };
}

type Args = readonly number[];
/** Returns how a call with these arguments is split; undefined if the call is not split. */
type Split = (args: Args) => CallSplit | undefined;

/** Measured time for one multiplication with addition in `matmul`, in nanoseconds. */
const productNs = 0.055;
/** Measured time for copying one number of B into the panels that `matmul` reads, in nanoseconds. */
const packNs = 0.2;
/** Measured time for reading one number of a matrix that is not in a cache, in nanoseconds. */
const readNs = 0.3;
/** Measured time for converting a stored weight to a float, in nanoseconds. */
const unpackNs = 0.15;
/** The same, for the product of a single row with quantised numbers. */
const roundedNs = 0.09;
/** Measured time for one number in plain arithmetic, in a norm, and in an exponential, in nanoseconds. */
const plainNs = 0.25;
const normNs = 0.5;
const expNs = 1;
/** Numbers per cache line. Two parts should not write to the same cache line. */
const line = 16;
/** The number of rows whose sum `normGrad` computes before adding it to the total, as in ops/norm/norm.assembly.ts. */
const normChunk = 64;

/** Size in bytes of a block of 32 frozen weights, by the number of the format, as in ops/frozen/blocks.assembly.ts. */
const frozenBytes = [64, 34, 18, 20];

const at = (args: Args, index: number): number => args[index] as number;

/** Pointers that all move by the same number of bytes per row. */
const moving = (bytes: number, ...pointers: number[]): Moves => pointers.map((pointer) => [pointer, bytes]);

const elements = (count: number, pointers: number[], rowNs: number): CallSplit => ({
  ...{ count, rowNs },
  moves: moving(4, ...pointers),
  multiple: line,
});

export const splits: Partial<Record<keyof WasmExports, Split>> = {
  matmul: (args) => {
    const [m, n, k, flags, aLine, batch] = args.slice(3, 9) as [number, number, number, number, number, number];
    const rowNs = n * k * productNs;
    if (batch > 1) {
      const moves = [0, 1, 2].map((pointer) => [pointer, at(args, 9 + pointer)] as const);
      return { count: 8, moves, rowNs: m * rowNs, hasScratch: true };
    }
    const isTransposed = flags % 2 === 1;
    const moves = [...moving(isTransposed ? 4 : 4 * aLine, 0), ...moving(4 * n, 2)];
    // Every part must copy the whole of B into panels.
    return { count: 3, moves, multiple: 4, rowNs, partNs: n * k * packNs, hasScratch: true };
  },
  fewRows: (args) => {
    const [m, , k] = args.slice(3, 6) as [number, number, number];
    return {
      count: 4,
      moves: [
        [1, 4 * k],
        [2, 4],
      ],
      multiple: line,
      rowNs: k * Math.max(readNs, m * productNs),
    };
  },
  frozenMatmul: (args) => {
    const [rows, columns, , isBack] = args.slice(4, 8) as [number, number, number, number];
    const [inner, outer] = isBack === 1 ? [rows, columns] : [columns, rows];
    const moves = [...moving(4 * inner, 0), ...moving(4 * outer, 2)];
    // Every part must convert the whole of W and copy it into panels.
    const [rowNs, partNs] = [rows * columns * productNs, rows * columns * (packNs + unpackNs)];
    return { count: 3, moves, multiple: 4, rowNs, partNs, hasScratch: true };
  },
  frozenFew: (args) => {
    const [m, , columns, code] = args.slice(3, 7) as [number, number, number, number];
    const rowBytes = (columns / 32) * (frozenBytes[code] as number);
    const rowNs = columns * (m === 1 && code > 0 ? roundedNs : unpackNs + m * productNs);
    return { count: 4, moves: [[1, rowBytes], ...moving(4, 2)], multiple: line, rowNs, hasScratch: true };
  },
  attention: (args) => attention(args, { outputs: [4], gradients: [], shares: 5, batch: 6, products: 3 }),
  attentionGrad: (args) => attention(args, { outputs: [4, 6], gradients: [7], shares: 5, batch: 8, products: 8 }),
  cachedAttention: (args) => {
    const [steps, capacity, heads, keyHeads, size] = args.slice(10, 15) as [number, number, number, number, number];
    const queried = at(args, 15) === 1 ? 1 : steps;
    const moves = [
      ...moving(4 * capacity * keyHeads * size, 0, 1),
      ...moving(4 * steps * size * (heads + 2 * keyHeads), 2),
      ...moving(4 * steps, 5),
      ...moving(4 * capacity, 6),
      ...moving(4 * queried * size * heads, 8),
      // A pointer that is 0 stands for a missing array, so it must not move.
      ...moving(at(args, 16) === 0 ? 0 : 4 * capacity, 16),
    ];
    return { count: 9, moves, rowNs: queried * heads * capacity * (size * plainNs + expNs), hasScratch: true };
  },
  rmsNorm: (args) => {
    const width = at(args, 5);
    return { count: 4, moves: [...moving(4 * width, 0, 2), [3, 4]], rowNs: width * normNs };
  },
  addNorm: (args) => {
    const width = at(args, 7);
    return { count: 6, moves: [...moving(4 * width, 0, 1, 3, 4), [5, 4]], rowNs: width * normNs };
  },
  normGrad: (args) => {
    const floats = at(args, 8);
    const extra = at(args, 3) === 0 ? [] : [3];
    return {
      count: 7,
      moves: [...moving(4 * floats, 0, 4, 5, ...extra), [2, 4]],
      multiple: normChunk,
      rowNs: 2 * floats * normNs,
      hasScratch: true,
      sum: { pointer: 6, floats },
    };
  },
  softmaxRows: (args) => ({ count: 2, moves: moving(4 * at(args, 3), 0, 1), rowNs: at(args, 3) * expNs }),
  sumRows: (args) => ({ count: 2, moves: [[0, 4 * at(args, 3)], ...moving(4, 1)], rowNs: at(args, 3) * plainNs }),
  tokenLogprobs: (args) => {
    const width = at(args, 5);
    const moves = [...moving(4 * width, 0), ...moving(4, 1, 2, 3)];
    return { count: 4, moves, rowNs: 3 * width * expNs, hasScratch: true, namesBadRow: true };
  },
  tokenLogprobsGrad: (args) => {
    const width = at(args, 6);
    const moves = [...moving(4 * width, 0, 4), ...moving(4, 1, 2, 3)];
    return { count: 5, moves, rowNs: 3 * width * expNs, hasScratch: true, namesBadRow: true };
  },
  topTokens: (args) => {
    const [width, k] = args.slice(8, 10) as [number, number];
    const moves = [...moving(4 * width, 0), ...moving(4 * k, 2, 3), ...moving(4, 1, 4, 5, 6)];
    return { count: 7, moves, rowNs: 4 * width * expNs, hasScratch: true, namesBadRow: true };
  },
  sampleTokens: (args) => {
    const width = at(args, 5);
    const moves = [...moving(4 * width, 0), ...moving(4, 1, 2, 3)];
    return { count: 4, moves, rowNs: 3 * width * expNs, hasScratch: true };
  },
  swiGlu: gated,
  swiGluGrad: gatedGrad,
  geGlu: gated,
  geGluGrad: gatedGrad,
  binary: (args) => {
    const [rows, count, aStep, bStep, mode] = args.slice(4) as [number, number, number, number, number];
    const moves = [...moving(aStep, 1), ...moving(bStep, 2), ...moving(4 * count, 3)];
    if (rows > 1) return { count: 4, moves, rowNs: count * plainNs };
    const full = [1, 2, 3].filter((pointer) => pointer !== mode);
    return elements(5, full, plainNs);
  },
  unary: () => elements(3, [1, 2], expNs),
  adamW: () => elements(4, [0, 1, 2, 3], 5 * plainNs),
};

function gated(args: Args): CallSplit {
  const width = at(args, 3);
  return { count: 2, moves: [...moving(8 * width, 0), ...moving(4 * width, 1)], rowNs: width * expNs };
}

function gatedGrad(args: Args): CallSplit {
  const width = at(args, 4);
  return { count: 3, moves: [...moving(8 * width, 0, 2), ...moving(4 * width, 1)], rowNs: width * expNs };
}

interface AttentionArguments {
  /**
   * `outputs` are the indices of pointers to arrays with the shape of the output; `gradients` are those of pointers to
   * arrays with the shape of qkv.
   */
  outputs: number[];
  gradients: number[];
  shares: number;
  batch: number;
  /** The number of products in which the triangle of attention weights is a factor. */
  products: number;
}

function attention(args: Args, { outputs, gradients, shares, batch, products }: AttentionArguments): CallSplit {
  const [length, heads, keyHeads, size, tableStep] = args.slice(batch + 1) as [number, number, number, number, number];
  const packed = 4 * length * size * (heads + 2 * keyHeads);
  const blocks = Math.ceil(length / 8);
  const triangle = 32 * blocks * (blocks + 1);
  const output = 4 * length * heads * size;
  const moves = [
    ...moving(packed, 0, ...gradients),
    ...moving(4 * tableStep, 1, 2),
    // A pointer that is 0 stands for a missing array, so it must not move.
    ...moving(at(args, 3) === 0 ? 0 : 4 * length, 3),
    ...moving(at(args, shares) === 0 ? 0 : 4 * heads * triangle, shares),
    ...moving(output, ...outputs),
  ];
  const rowNs = heads * (triangle * (size * productNs * products + expNs) + products * length * size * packNs);
  return { count: batch, moves, rowNs, hasScratch: true };
}
