import { expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { expectRows, firstEnd } from './sampledTurns.ts';

it('a turn ends with its first terminator, which belongs to it', () => {
  expect(firstEnd(Int32Array.of(9, 2, 3, 2), [2, 3])).toBe(2);
  expect(firstEnd(Int32Array.of(3, 9, 9), [2, 3])).toBe(1);
  expect(firstEnd(Int32Array.of(9, 9, 2), [2, 3])).toBe(3);
});

it('a turn without a terminator is the whole window', () => {
  expect(firstEnd(Int32Array.of(9, 9, 9), [2, 3])).toBe(3);
});

it('a call with another number of rows is refused by name', () => {
  expect(() => expectRows('append', 3, 4)).toThrow(ShapeError);
  expect(() => expectRows('append', 3, 4)).toThrow('append: expected 4 rows, got 3');
});
