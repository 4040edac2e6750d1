import { expect, it } from 'vitest';
import type { ClaimResult } from '../records/claims/result.ts';
import { openDatabase } from './database.ts';
import { loadResults } from './reading.ts';
import { forgetResults, keepResults } from './resultStore.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const result = (seed: number, digest = 'a'.repeat(64)): ClaimResult => ({
  ...{ claim: 'too-fast', digest, seed },
  ...{ values: [0.5, 0.75], backend: 'simd' },
});

it('a seed counts once, and its first result is kept', async () => {
  expect(await keepResults([result(1), result(2)])).toBe(2);
  expect(await keepResults([{ ...result(2), values: [0, 0] }, result(3), result(3)])).toBe(1);
  expect((await loadResults()).results).toEqual([result(1), result(2), result(3)]);
});

it('deleting the results of one experiment keeps those of others', async () => {
  const other = result(1, 'b'.repeat(64));
  await keepResults([result(1), other]);
  await forgetResults('a'.repeat(64));
  expect(await loadResults()).toEqual({ results: [other], damaged: [] });
});

it('a damaged result is reported and hides no other', async () => {
  await keepResults([result(1)]);
  await (await openDatabase()).put('claimResults', { ...result(2), values: ['much', 0] } as unknown as ClaimResult);
  const { results, damaged } = await loadResults();
  expect(results).toEqual([result(1)]);
  expect(damaged.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^result 1 of claims: values\.0: expected /),
  ]);
});
