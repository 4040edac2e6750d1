// Tests that calls that are divided among real threads give the same results as on one thread, bit for bit.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { normals } from '../../ops/testing/numbers.ts';
import { Heap } from '../heap.ts';
import type { WasmExports } from '../wasmExports.ts';
import { parallelExports } from './parallelExports.ts';
import { Pool } from './pool.ts';
import { forSharedMemory } from './sharedModule.ts';
import { splits } from './splits.ts';

const pages = 2048;
let memory: WebAssembly.Memory;
let module: WebAssembly.Module;
let single: WasmExports;
let heap: Heap;

beforeAll(async () => {
  const bytes = forSharedMemory(await readFile(new URL('../kernels.wasm', import.meta.url)));
  if (!bytes) throw new Error('kernels.wasm does not import a memory with a maximum.');
  module = await WebAssembly.compile(bytes);
  memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  single = (await WebAssembly.instantiate(module, { env: { memory } })).exports as unknown as WasmExports;
  heap = new Heap(65536, memory.buffer.byteLength);
});

/**
 * An argument of a kernel: either a number, which is passed unchanged, or the length of an array of random numbers or
 * of an output (`out`), which is filled with NaN first. The numbers of `halves` have 16 bits.
 */
type Argument =
  | number
  | { halves: number }
  | { in: number }
  | { out: number }
  | { inOut: number }
  | { scratch: number }
  | { ids: number; below: number };

interface Outcome {
  result: number | undefined;
  /** The bits of each output. */
  written: string[];
  hasNaN: boolean;
}

/** Calls a kernel with all arrays in newly allocated memory. Returns its result and its outputs. */
function outcome(exports: WasmExports, name: keyof WasmExports, given: readonly Argument[]): Outcome {
  const written: Float32Array[] = [];
  const blocks: number[] = [];
  const args = given.map((argument, seed) => {
    if (typeof argument === 'number') return argument;
    const [kind, count] = Object.entries(argument)[0] as [string, number];
    const address = heap.allocate(Math.max(count, 1) * 4);
    blocks.push(address);
    const view = new Float32Array(memory.buffer, address, count);
    if ('ids' in argument) {
      const ids = normals(count, seed).map((x) => Math.floor(Math.abs(x) * 1000) % argument.below);
      new Int32Array(memory.buffer, address, count).set(ids);
    } else if (kind === 'halves') {
      const small = normals(2 * count, seed).map((x) => (Math.floor(x * 1000) & 0x8fff) | 0x1000); // below 2⁻³
      new Uint16Array(memory.buffer, address, 2 * count).set(small);
    } else if (kind === 'in' || kind === 'inOut') view.set(normals(count, seed));
    else view.fill(NaN);
    if (kind === 'out' || kind === 'inOut') written.push(view);
    return address;
  });
  const result = (exports[name] as (...args: number[]) => number | undefined)(...args);
  const bits = written.map((view) => Buffer.from(new Uint8Array(view.slice().buffer)).toString('latin1'));
  const hasNaN = written.some((view) => view.some(Number.isNaN));
  for (const address of blocks) heap.free(address);
  return { result, written: bits, hasNaN };
}

const matmulCase = ([m, n, k, flags, batch]: [number, number, number, number, number]): Argument[] => {
  const inputs = [{ in: batch * m * k }, { in: batch * k * n }, { out: batch * m * n }];
  const sizes = [m, n, k, flags, flags % 2 === 1 ? m : k, batch, m * k * 4, k * n * 4, m * n * 4];
  return [...inputs, ...sizes, { scratch: 4096 + Math.min(k, 256) * Math.ceil(n / 8) * 8 }];
};
/**
 * Test cases for products with 1017 frozen rows of 96 numbers, in the format with the number `code`. A single row of x
 * takes so little time that twice as many rows are needed to divide it.
 */
const frozenCases = (code: number): [keyof WasmExports, string, Argument[]][] => {
  const [weights, twice, name] = [{ halves: 1017 * 96 }, { halves: 2033 * 96 }, `format ${String(code)}`];
  const product = { scratch: 4096 + 2048 + 65536 };
  return [
    ['frozenMatmul', name, [{ in: 67 * 96 }, weights, { out: 67 * 1017 }, 67, 1017, 96, code, 0, product]],
    ['frozenMatmul', `${name}, back`, [{ in: 67 * 1017 }, weights, { out: 67 * 96 }, 67, 1017, 96, code, 1, product]],
    ['frozenFew', `${name}, one row`, [{ in: 96 }, twice, { out: 2033 }, 1, 2033, 96, code, 2033, { scratch: 384 }]],
    ['frozenFew', `${name}, few`, [{ in: 672 }, weights, { out: 7119 }, 7, 1017, 96, code, 1017, { scratch: 384 }]],
  ];
};
const [batch, length, heads, keyHeads, size] = [7, 19, 4, 2, 12];
const rows = batch * length;
const packed = rows * (heads + 2 * keyHeads) * size;
const triangle = 32 * 3 * 4;
const attentionSizes = [batch, length, heads, keyHeads, size] as const;
const room = { scratch: 20_000 };

const cases: [keyof WasmExports, string, Argument[]][] = [
  ['matmul', 'a linear map', matmulCase([1023, 193, 64, 2, 1])],
  ['matmul', 'its gradient in x', matmulCase([1024, 65, 172, 0, 1])],
  ['matmul', 'its gradient in w', matmulCase([172, 61, 1300, 1, 1])],
  ['matmul', 'both transposed', matmulCase([67, 33, 2048, 3, 1])],
  ['matmul', 'a batch', matmulCase([31, 17, 48, 1, 37])],
  ['matmul', 'more columns than one block', matmulCase([67, 601, 300, 2, 1])],
  ['fewRows', 'one row', [{ in: 301 }, { in: 1003 * 301 }, { out: 1003 }, 1, 1003, 301, 1003]],
  ['fewRows', 'seven rows', [{ in: 7 * 96 }, { in: 1022 * 96 }, { out: 7 * 1022 }, 7, 1022, 96, 1022]],
  ...[0, 1, 2, 3].flatMap(frozenCases),
  [
    'attention',
    'shares kept, mask, a table each',
    [
      ...[{ in: packed }, { in: rows * size }, { in: rows * size }, { in: rows }, { out: rows * heads * size }],
      ...[{ out: batch * heads * triangle }, ...attentionSizes, length * size, 0, room],
    ],
  ],
  [
    'attention',
    'no shares, no mask, one table',
    [
      ...[{ in: packed }, { in: length * size }, { in: length * size }, 0, { out: rows * heads * size }, 0],
      ...[...attentionSizes, 0, 5, room],
    ],
  ],
  [
    'attentionGrad',
    'shares kept',
    [
      ...[{ in: packed }, { in: length * size }, { in: length * size }, 0, { in: rows * heads * size }],
      ...[
        { inOut: batch * heads * triangle },
        { in: rows * heads * size },
        { out: packed },
        ...attentionSizes,
        0,
        0,
        room,
      ],
    ],
  ],
  [
    'attentionGrad',
    'no shares, mask, a table each',
    [
      ...[{ in: packed }, { in: rows * size }, { in: rows * size }, { in: rows }, { in: rows * heads * size }, 0],
      ...[{ in: rows * heads * size }, { out: packed }, ...attentionSizes, length * size, 0, room],
    ],
  ],
  [
    'cachedAttention',
    'three new positions over eleven',
    [
      ...[{ inOut: 37 * 40 * 32 }, { inOut: 37 * 40 * 32 }, { in: 37 * 3 * 128 }, { in: 50 * 16 }, { in: 50 * 16 }],
      ...[{ ids: 37 * 3, below: 50 }, { in: 37 * 40 }, { ids: 2, below: 12 }, { out: 37 * 3 * 64 }],
      ...[37, 3, 40, 4, 2, 16, 0, 0, 0, room],
    ],
  ],
  [
    'cachedAttention',
    'the newest of three positions',
    [
      ...[{ inOut: 37 * 40 * 32 }, { inOut: 37 * 40 * 32 }, { in: 37 * 3 * 128 }, { in: 50 * 16 }, { in: 50 * 16 }],
      ...[{ ids: 37 * 3, below: 50 }, { in: 37 * 40 }, { ids: 2, below: 12 }, { out: 37 * 64 }],
      ...[37, 3, 40, 4, 2, 16, 1, { ids: 37 * 40, below: 50 }, 9, room],
    ],
  ],
  ['rmsNorm', '', [{ in: 999 * 67 }, { in: 67 }, { out: 999 * 67 }, { out: 999 }, 999, 67, 1e-5]],
  [
    'addNorm',
    '',
    [{ in: 63900 }, { in: 63900 }, { in: 71 }, { out: 63900 }, { out: 63900 }, { out: 900 }, 900, 71, 1e-5],
  ],
  [
    'normGrad',
    'alone',
    [{ in: 66660 }, { in: 66 }, { in: 1010 }, 0, { in: 66660 }, { out: 66660 }, { out: 66 }, 1010, 66, { scratch: 66 }],
  ],
  [
    'normGrad',
    'in a stream, in many parts',
    [
      ...[{ in: 17000 * 5 }, { in: 5 }, { in: 17000 }, { in: 17000 * 5 }, { in: 17000 * 5 }],
      ...[{ out: 17000 * 5 }, { out: 5 }, 17000, 5, { scratch: 5 }],
    ],
  ],
  ['softmaxRows', '', [{ in: 999 * 33 }, { out: 999 * 33 }, 999, 33]],
  ['sumRows', '', [{ in: 999 * 133 }, { out: 999 }, 999, 133]],
  [
    'tokenLogprobs',
    '',
    [{ in: 33000 }, { ids: 1000, below: 33 }, { out: 1000 }, { out: 1000 }, 1000, 33, 1.25, { scratch: 33 }],
  ],
  [
    'tokenLogprobs',
    'with ids that are not there',
    [{ in: 33000 }, { ids: 1000, below: 1000 }, { inOut: 1 }, { inOut: 1 }, 1000, 33, 1.25, { scratch: 33 }],
  ],
  [
    'tokenLogprobsGrad',
    '',
    [
      ...[{ in: 33000 }, { ids: 1000, below: 33 }, { in: 1000 }, { in: 1000 }, { out: 33000 }],
      ...[1000, 33, 1.25, { scratch: 33 }],
    ],
  ],
  [
    'topTokens',
    '',
    [
      ...[{ in: 33000 }, { ids: 1000, below: 33 }, { out: 3000 }, { out: 3000 }, { out: 1000 }, { out: 1000 }],
      ...[{ out: 1000 }, 1000, 33, 3, 1.25, { scratch: 33 }],
    ],
  ],
  ['sampleTokens', '', [{ in: 33000 }, { in: 1000 }, { out: 1000 }, { out: 1000 }, 1000, 33, 1.25, { scratch: 33 }]],
  ['swiGlu', '', [{ in: 2 * 999 * 61 }, { out: 999 * 61 }, 999, 61]],
  ['swiGluGrad', '', [{ in: 2 * 999 * 61 }, { in: 999 * 61 }, { out: 2 * 999 * 61 }, 999, 61]],
  ['geGlu', '', [{ in: 2 * 999 * 61 }, { out: 999 * 61 }, 999, 61]],
  ['geGluGrad', '', [{ in: 2 * 999 * 61 }, { in: 999 * 61 }, { out: 2 * 999 * 61 }, 999, 61]],
  ['binary', 'equal shapes', [3, { in: 200001 }, { in: 200001 }, { out: 200001 }, 1, 200001, 0, 0, 0]],
  ['binary', 'a scalar first', [1, { in: 1 }, { in: 200001 }, { out: 200001 }, 1, 200001, 0, 0, 1]],
  ['binary', 'a scalar second', [1, { in: 200001 }, { in: 1 }, { out: 200001 }, 1, 200001, 0, 0, 2]],
  ['binary', 'a repeated row', [0, { in: 99900 }, { in: 100 }, { out: 99900 }, 999, 100, 400, 0, 0]],
  ['binary', 'one number for each row', [2, { in: 99900 }, { in: 999 }, { out: 99900 }, 999, 100, 400, 4, 2]],
  ['unary', 'exp', [0, { in: 99999 }, { out: 99999 }, 99999]],
  [
    'adamW',
    '',
    [
      ...[{ inOut: 50003 }, { in: 50003 }, { inOut: 50003 }, { in: 50003 }, 50003],
      ...[0.5, 0.9, 0.1, 0, 1, 0.99, 0.01, 2, 1e-8],
    ],
  ],
];

describe('forSharedMemory', () => {
  it('changes one bit, and leaves the original alone', async () => {
    const original = await readFile(new URL('../kernels.wasm', import.meta.url));
    const shared = forSharedMemory(original) as Uint8Array;
    expect(shared.filter((byte, i) => byte !== original[i])).toEqual(new Uint8Array([3]));
    expect(WebAssembly.Module.imports(await WebAssembly.compile(original))).toHaveLength(1);
  });

  it('refuses a module whose memory has no maximum, and one that imports none', () => {
    const head = [0, 97, 115, 109, 1, 0, 0, 0];
    const unbounded = Uint8Array.from([...head, 2, 8, 1, 1, 97, 1, 98, 2, 0, 1]);
    expect(WebAssembly.validate(unbounded)).toBe(true);
    expect(forSharedMemory(unbounded)).toBeUndefined();
    expect(forSharedMemory(Uint8Array.from(head))).toBeUndefined();
  });
});

describe.each([2, 3])('with %i threads', (threads) => {
  let pool: Pool;
  let parallel: WasmExports;
  beforeAll(async () => {
    pool = await Pool.open({ module, memory, exports: single, threads, patienceMs: 20_000 });
    parallel = parallelExports(single, pool, heap);
  });
  afterAll(() => {
    pool.close();
  });

  it('every kernel that can be cut has a case', () => {
    expect(new Set(cases.map(([name]) => name))).toEqual(new Set(Object.keys(splits)));
  });

  it.each(cases)('%s %s: the same bits as on one thread', (name, _, args) => {
    const expected = outcome(single, name, args);
    const handed = vi.spyOn(pool, 'run');
    const before = heap.usedBytes;
    const actual = outcome(parallel, name, args);
    expect(handed).toHaveBeenCalled();
    handed.mockRestore();
    expect(expected.hasNaN).toBe(false);
    expect(actual.result).toBe(expected.result);
    // `toEqual` is not used here, because its error message would contain megabytes of numbers.
    expect(actual.written.every((bits, i) => bits === expected.written[i])).toBe(true);
    expect(heap.usedBytes).toBe(before);
  });

  it('a small call stays on this thread', () => {
    const handed = vi.spyOn(pool, 'run');
    outcome(parallel, 'unary', [3, { in: 64 }, { out: 64 }, 64]);
    expect(handed).not.toHaveBeenCalled();
    handed.mockRestore();
  });
});
