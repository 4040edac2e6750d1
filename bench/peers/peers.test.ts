// Compares the maths of Cothink with the answers of functions from other projects to the same numbers.
import { expect, it } from 'vitest';
import { readResults } from '../shared/runner.ts';
import { isAsSaid, peerGaps, type Gap } from './gaps.ts';

const gaps = await peerGaps();

it.each(gaps)('$peer $function', (gap) => {
  expect(gap.cases).toBeGreaterThan(0);
  expect(gap).toSatisfy(isAsSaid);
});

it('the comparison covers losses, estimators and advantages of four projects', () => {
  expect(new Set(gaps.map(({ peer }) => peer)).size).toBe(4);
  expect(gaps.filter(({ differs }) => differs === undefined).length).toBeGreaterThan(35);
});

it('the stored differences, which docs/results.md shows, are up to date', () => {
  const { rows } = readResults<{ rows: Gap[] }>('peerGaps') ?? { rows: [] };
  const near = ({ gap, ...said }: Gap) => ({ ...said, gap: expect.closeTo(gap, 5) as number });
  expect(rows).toEqual(gaps.map(near));
});
