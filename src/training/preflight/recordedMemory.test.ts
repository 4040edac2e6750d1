import { expect, it } from 'vitest';
import { recordedBytes } from './recordedMemory.ts';

const recording = (shape: number[], bytes: number) => ({ shape, bytes });

it('recordings will be there for all lengths between the shortest and the longest, of each number of rows', () => {
  const tried = [recording([16, 32], 100), recording([16, 48], 200), recording([32, 32], 70), recording([], 9)];
  // Of 16 rows three lengths of 150 bytes; of 32 rows one; what has no rows stays.
  expect(recordedBytes(tried, { columns: 8 })).toBe(3 * 150 + 70 + 9);
  // Two computations on one shape are two recordings of it.
  expect(recordedBytes([...tried, recording([32, 32], 30)], { columns: 8 })).toBe(3 * 150 + 100 + 9);
  expect(recordedBytes([recording([16, 32], 2 ** 29), recording([16, 64], 2 ** 30)], { columns: 8 })).toBe(2 ** 30);
  expect(recordedBytes([], { columns: 8 })).toBe(0);
});
