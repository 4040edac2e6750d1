// Measures the most multiply-adds that one core can do: with vectors of four numbers, the widest in WebAssembly, and in
// a product of PyTorch, which uses the widest vectors of the processor. Their ratio limits a product alone, not a whole
// workload.
import { spawnSync } from 'node:child_process';
import { fastestModule } from '../../src/engine/simd/fusedProducts.ts';

export interface Vectors {
  /** Multiply-adds per second, in thousand millions: with vectors of four, and in a product of PyTorch (or null). */
  ofFour: number;
  pytorch: number | null;
}

/** Ten independent sums keep both units of a core busy; more would not fit into the registers. */
const sums = Array.from({ length: 10 }, (_, i) => `s${i}`);
const source = `
export function multiplyAdd(rounds: i32): f32 {
  ${sums.map((sum) => `let ${sum} = f32x4.splat(0);`).join(' ')}
  const x = f32x4.splat(1.0001), y = f32x4.splat(0.9999);
  for (let i = 0; i < rounds; i++) { ${sums.map((sum) => `${sum} = f32x4.add(f32x4.mul(x, y), ${sum});`).join(' ')} }
  return f32x4.extract_lane(${sums.reduce((all, sum) => `f32x4.add(${all}, ${sum})`)}, 0);
}`;
const rounds = 100_000;
/** The number of short trials, so that other work does not interrupt all of them. */
const trials = 400;

/** A product of the model: 256 tokens through the gate of its network. */
const python = `
import time, torch
torch.set_num_threads(1)
x, w = torch.randn(256, 576), torch.randn(576, 1536)
best = 0
for _ in range(${trials}):
    start = time.perf_counter()
    x @ w
    best = max(best, 256 * 576 * 1536 / (time.perf_counter() - start))
print(best / 1e9)
`;

export async function vectors(pythonCommand: string | undefined): Promise<Vectors> {
  const { compileString } = await import('assemblyscript/asc');
  const options = { optimizeLevel: 3, runtime: 'stub', enable: ['simd'] };
  const { binary, error } = await compileString(source, options);
  if (!binary) throw error ?? new Error('the loop of multiply-adds was not compiled');
  const { instance } = await WebAssembly.instantiate(fastestModule(binary.slice()).bytes as BufferSource, {});
  const multiplyAdd = instance.exports['multiplyAdd'] as (rounds: number) => number;
  let ofFour = 0;
  for (let trial = 0; trial < trials; trial++) {
    const began = performance.now();
    multiplyAdd(rounds);
    ofFour = Math.max(ofFour, (rounds * sums.length * 4) / (performance.now() - began) / 1e6);
  }
  const theirs = pythonCommand === undefined ? null : spawnSync(pythonCommand, ['-c', python], { encoding: 'utf8' });
  return { ofFour: Number(ofFour.toFixed(1)), pytorch: theirs && Number(Number(theirs.stdout).toFixed(1)) };
}
