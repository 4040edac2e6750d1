import { expect, it } from 'vitest';
import { numbersOf } from '../../base/storedNumbers.ts';
import { writtenAs } from '../../base/writtenNumbers.ts';
import { bytesAs, mergedArray } from './merge.ts';

const named = (name: string, shape: number[], ...values: number[]) => ({
  name,
  shape,
  values: Float32Array.from(values),
});
const stored = (name: string, ...values: number[]) =>
  ({ name, shape: [2, 2], format: 'F32', bytes: writtenAs('F32', Float32Array.from(values)) }) as const;

/** With α = 4 and rank 2, the factor α/r of the adapters is 2. */
const merging = {
  alpha: 4,
  matrices: [stored('q_proj.weight', 1, 2, 3, 4), stored('norm.weight', 1, 2, 3, 4)],
  pairs: [{ name: 'q_proj', a: named('A', [2, 2], 1, 0, 0, 10), b: named('B', [2, 2], 0.5, 0, 1, 0.25) }],
};

it('an adapter is added as α/r times B·A, worked by hand, and the frozen numbers are unchanged', () => {
  // B·A = [[0.5, 0], [1, 2.5]], so twice this matrix is added.
  expect([...mergedArray(merging, 'q_proj.weight')]).toEqual([2, 2, 5, 9]);
  expect([...mergedArray(merging, 'norm.weight')]).toEqual([1, 2, 3, 4]);
  expect([...numbersOf('F32', merging.matrices[0]?.bytes as Uint8Array)]).toEqual([1, 2, 3, 4]);
});

it('a missing array and numbers beyond the range of a format are refused by name', () => {
  expect(() => mergedArray(merging, 'k_proj.weight')).toThrow(/^k_proj\.weight: the frozen model has no such array/);
  for (const value of [1e6, NaN, Infinity])
    expect(() => bytesAs('F16', 'q_proj.weight', Float32Array.of(1, value))).toThrow(
      /^q_proj\.weight: .*65,504.*use F32/,
    );
  expect(bytesAs('F32', 'q_proj.weight', Float32Array.of(1e6))).toHaveLength(4);
});
