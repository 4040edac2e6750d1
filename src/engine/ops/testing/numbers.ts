// Functions for the tests of the operations: random numbers, distances between results, and the plain loops of the
// float64 references. These loops are slow but easy to check by reading.
import { Draws } from '../../../base/random.ts';

export type Numbers = Float64Array;

export type Mutable = Float32Array | Float64Array | Int32Array;

/** Standard normal numbers that float32 represents exactly. */
export function normals(count: number, seed: number): Numbers {
  const draws = new Draws(seed, 0, 0);
  return Float64Array.from({ length: count }, () => Math.fround(draws.normal()));
}

/** ∂(Σ weights·f(x))/∂x by central differences. */
export function differences(f: (x: Numbers) => Numbers, x: Numbers, weights: Numbers): Numbers {
  const step = 1e-5;
  const loss = (at: number, shift: number) => {
    const moved = Float64Array.from(x);
    moved[at] = get(moved, at) + shift;
    const out = f(moved);
    return sum(out.length, (i) => get(out, i) * get(weights, i));
  };
  return fill(x.length, (at) => (loss(at, step) - loss(at, -step)) / (2 * step));
}

/** The largest difference, divided by the largest absolute reference value (at least 0.001). */
export function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  let largest = 1e-3;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    const gap = Math.abs(get(actual, i) - get(expected, i));
    if (Number.isNaN(gap)) return Infinity;
    difference = Math.max(difference, gap);
    largest = Math.max(largest, Math.abs(get(expected, i)));
  }
  return difference / largest;
}

export function fill(length: number, value: (at: number) => number): Numbers {
  return Float64Array.from({ length }, (_, at) => value(at));
}

export function sum(length: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < length; i++) total += term(i);
  return total;
}

export function get(values: ArrayLike<number>, at: number): number {
  return values[at] as number;
}
