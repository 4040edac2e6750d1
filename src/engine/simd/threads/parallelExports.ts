// The kernels, with each call divided among the threads of a pool if this is faster. The interface is the same as that
// of the kernels themselves, the results are identical, and the work is done when the call returns.
import type { Heap } from '../heap.ts';
import type { WasmExports } from '../wasmExports.ts';
import { maxParts } from './layout.ts';
import type { Pool } from './pool.ts';
import { type CallSplit, splits } from './splits.ts';

type Kernel = (...args: number[]) => number | undefined;

/**
 * Distributing parts takes 1 µs while helpers are awake, and 4 to 11 µs if they must be woken (measured on 2 cores).
 * These minimum durations of a call and of a part, in nanoseconds, are therefore larger.
 */
const leastCallNs = 16_000;
const leastPartNs = 8_000;
/**
 * Each thread gets several parts. If other programs slow one thread down, the other threads then process more parts.
 */
const partsPerThread = 3;
/** The number that stands for addition in the kernel `binary`. */
const add = 0;

/** Wraps the kernels of one instance; `heap` provides the helpers' scratch memory. */
export function parallelExports(exports: WasmExports, pool: Pool, heap: Heap): WasmExports {
  const whole = exports as unknown as Record<string, Kernel>;
  const wrapped: Record<string, unknown> = { ...exports };
  for (const [name, split] of Object.entries(splits)) {
    const kernel = whole[name] as Kernel;
    wrapped[name] = (...args: number[]): number | undefined => {
      const cut = pool.threads > 1 ? split(args) : undefined;
      const rowsPerPart = cut ? partRows(args[cut.count] as number, cut, pool.threads) : 0;
      if (!cut || rowsPerPart === 0) return kernel(...args);
      if (cut.sum) sumParts(name, args, { ...cut, sum: cut.sum });
      else {
        const badRow = runParts(name, args, cut, rowsPerPart);
        if (cut.namesBadRow) return badRow;
      }
      return undefined;
    };
  }
  return wrapped as unknown as WasmExports;

  function runParts(name: string, args: number[], cut: CallSplit, rowsPerPart: number): number {
    const { count, moves, hasScratch, namesBadRow } = cut;
    if (!hasScratch) return pool.run({ name, args, count, rowsPerPart, moves, namesBadRow });
    const scratch = [args.at(-1) as number];
    const bytes = heap.sizeOf(scratch[0] as number);
    while (scratch.length < pool.threads) scratch.push(heap.allocate(bytes));
    try {
      return pool.run({ name, args, count, rowsPerPart, moves, scratch, namesBadRow });
    } finally {
      for (const address of scratch.slice(1)) heap.free(address);
    }
  }

  /**
   * Writes the sum over each part into one block, and then adds these sums in order; the first addition writes the
   * result.
   */
  function sumParts(name: string, args: number[], cut: CallSplit & { sum: NonNullable<CallSplit['sum']> }): void {
    const { count, moves, multiple = 1, sum } = cut;
    const total = args[sum.pointer] as number;
    const bytes = sum.floats * 4;
    const parts = Math.ceil((args[count] as number) / multiple);
    const sums = heap.allocate(parts * bytes);
    try {
      const own = args.with(sum.pointer, sums);
      runParts(name, own, { ...cut, moves: [...moves, [sum.pointer, bytes / multiple]] }, multiple);
      exports.binary(add, sums, sums + bytes, total, 1, sum.floats, 0, 0, 0);
      for (let part = 2; part < parts; part++)
        exports.binary(add, total, sums + part * bytes, total, 1, sum.floats, 0, 0, 0);
    } finally {
      heap.free(sums);
    }
  }
}

/** The number of rows per part; 0 if the call would not be faster in parts. */
function partRows(rows: number, { multiple = 1, rowNs, partNs = 0, sum }: CallSplit, threads: number): number {
  const totalNs = rows * rowNs;
  if (totalNs < leastCallNs) return 0;
  const most = partsPerThread * threads;
  // A thread gets more than one part only if the fixed costs of the parts take less than an eighth of the time.
  const even = partNs > 0 ? Math.max(threads, Math.floor(totalNs / (8 * partNs))) : most;
  const wanted = Math.min(most, even, Math.floor(totalNs / leastPartNs));
  const length = sum ? multiple : Math.ceil(rows / wanted / multiple) * multiple;
  return length < rows && rows / length < maxParts ? length : 0;
}
