import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { beforeAll, describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import { fastestModule, fuseProducts } from './fusedProducts.ts';
import { distance } from '../ops/testing/numbers.ts';
import type { WasmExports } from './wasmExports.ts';

let source: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  // Newer versions of Node have it by themselves.
  setFlagsFromString('--experimental-wasm-relaxed-simd');
  source = new Uint8Array(await readFile(new URL('./kernels.wasm', import.meta.url)));
});

const [rows, columns, depth] = [37, 29, 300];
const places = { a: 65536, b: 262144, c: 524288, scratch: 655360 };

/** The kernels over a memory with two random matrices; `multiply` gives their product. */
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
    expect(fastestModule(broken)).toBe(broken);
    expect(fastestModule(source)).not.toBe(source);
  });
});
