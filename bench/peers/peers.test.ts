// Our maths against the answers of peers' own functions to the same numbers.
import { expect, it } from 'vitest';
import { readResults } from '../shared/runner.ts';
import { isAsSaid, peerGaps, type Gap } from './gaps.ts';

const gaps = await peerGaps();

it.each(gaps)('$peer $function', (gap) => {
  expect(gap.cases).toBeGreaterThan(0);
  expect(gap).toSatisfy(isAsSaid);
});

it('covers losses, estimators and advantages of four peers', () => {
  expect(new Set(gaps.map(({ peer }) => peer)).size).toBe(4);
  expect(gaps.filter(({ differs }) => differs === undefined).length).toBeGreaterThan(35);
});

it('is what the table of docs/results.md shows', () => {
  const { rows } = readResults<{ rows: Gap[] }>('peerGaps') ?? { rows: [] };
  const near = ({ gap, ...said }: Gap) => ({ ...said, gap: expect.closeTo(gap, 5) as number });
  expect(rows).toEqual(gaps.map(near));
});
