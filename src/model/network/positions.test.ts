import { expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { rotaryTables, tablesAt } from './positions.ts';

it('the angle of position 3 in the pair (1, 3) of four dimensions is 3/√10000 = 0.03', () => {
  const { cos, sin } = rotaryTables(5, { headSize: 4, ropeTheta: 10000 });
  for (const i of [1, 3]) {
    expect(cos[3 * 4 + i]).toBeCloseTo(0.99955003, 7);
    expect(sin[3 * 4 + i]).toBeCloseTo(0.0299955, 7);
  }
  for (const i of [0, 2]) expect(sin[3 * 4 + i]).toBeCloseTo(Math.sin(3), 6);
});

it('position 0 is not rotated', () => {
  const { cos, sin } = rotaryTables(2, { headSize: 8, ropeTheta: 500 });
  expect([...cos.subarray(0, 8)]).toEqual(new Array(8).fill(1));
  expect([...sin.subarray(0, 8)]).toEqual(new Array(8).fill(0));
});

it('tablesAt gives the requested rows of the tables, in order and with repetitions', () => {
  const tables = rotaryTables(9, { headSize: 6, ropeTheta: 10000 });
  const { cos, sin } = tablesAt(tables, Int32Array.of(8, 0, 3, 3));
  [8, 0, 3, 3].forEach((position, i) => {
    expect(cos.subarray(i * 6, i * 6 + 6)).toEqual(tables.cos.subarray(position * 6, position * 6 + 6));
    expect(sin.subarray(i * 6, i * 6 + 6)).toEqual(tables.sin.subarray(position * 6, position * 6 + 6));
  });
});

it('a position outside the tables is refused by name', () => {
  const tables = rotaryTables(4, { headSize: 6, ropeTheta: 10000 });
  for (const position of [-1, 4]) expect(() => tablesAt(tables, Int32Array.of(0, position))).toThrow(ShapeError);
  expect(() => tablesAt(tables, Int32Array.of(4))).toThrow('positions: expected 0 to 3, got 4');
});
