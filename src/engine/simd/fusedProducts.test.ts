import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Draws } from '../../base/random.ts';
import { fastestModule, fuseProducts } from './fusedProducts.ts';
import { distance } from '../ops/testing/numbers.ts';
import type { WasmExports } from './wasmExports.ts';

let source: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  source = new Uint8Array(await readFile(new URL('./kernels.wasm', import.meta.url)));
  fastestModule(source); // from now on the engine takes such modules: see the test of it
});

const [rows, columns, depth] = [37, 29, 300];
const places = { a: 65536, b: 262144, c: 524288, scratch: 655360 };

/** Instantiates the kernels with a memory that contains two random matrices. `multiply` returns their product. */
async function instance(bytes: BufferSource) {
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 16384 });
  const { exports } = (await WebAssembly.instantiate(bytes, { env: { memory } })).instance;
  const wasm = exports as unknown as WasmExports;
  const draws = new Draws(7, 0, 0);
  const fill = (at: number, count: number) => {
    const view = new Float32Array(memory.buffer, at, count);
    view.forEach((_, i) => (view[i] = draws.normal()));
    return view;
  };
  const [a, b] = [fill(places.a, rows * depth), fill(places.b, depth * columns)];
  const multiply = () => {
    const strides = [1, 0, 0, 0] as const;
    wasm.matmul(places.a, places.b, places.c, rows, columns, depth, 0, depth, ...strides, places.scratch);
    return new Float32Array(memory.buffer, places.c, rows * columns).slice();
  };
  return { a, b, multiply };
}

describe('fused products', () => {
  it('finds the pairs of the inner loops of all products', () => {
    expect(fuseProducts(source).count).toBeGreaterThan(16);
  });

  it('gives a module that differs only where a pair was', () => {
    const { bytes, count } = fuseProducts(source);
    expect(bytes.length).toBe(source.length);
    expect(bytes.filter((byte, i) => byte !== source[i]).length).toBe(4 * count);
    expect(fuseProducts(bytes).count).toBe(0);
  });

  it('multiplies to within 1e-6 of float64', async () => {
    const fused = await instance(fuseProducts(source).bytes);
    const plain = await instance(source);
    const exact = Float64Array.from({ length: rows * columns }, (_, at) => {
      let sum = 0;
      for (let k = 0; k < depth; k++)
        sum +=
          (fused.a[Math.floor(at / columns) * depth + k] as number) * (fused.b[k * columns + (at % columns)] as number);
      return sum;
    });
    expect(distance(fused.multiply(), exact)).toBeLessThan(1e-6);
    expect(fused.multiply()).not.toEqual(plain.multiply());
  });

  it('gives the same bits before and after the engine has optimised the code', async () => {
    const { multiply } = await instance(fuseProducts(source).bytes);
    const first = multiply();
    for (let i = 0; i < 2000; i++) multiply();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(multiply()).toEqual(first);
  });

  it('leaves a module alone that the engine would not take', () => {
    const broken = source.slice(0, 100);
    expect(fastestModule(broken)).toEqual({ bytes: broken, isFused: false });
  });

  it('is taken by every Node, with nothing to set outside', () => {
    const { bytes, isFused } = fastestModule(source);
    expect(isFused).toBe(true);
    expect(bytes).toEqual(fuseProducts(source).bytes);
    expect(WebAssembly.validate(bytes)).toBe(true);
  });

  it('is left alone in a browser without relaxed SIMD, which has no flags', () => {
    const outside = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    const refuse = vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    const found = fastestModule(source);
    refuse.mockRestore();
    outside.mockRestore();
    expect(found).toEqual({ bytes: source, isFused: false });
  });
});
