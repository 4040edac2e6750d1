import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { expectRows, firstEnd, RowContexts } from './rowContexts.ts';

const turn = { window: 3, isActive: [true, true], endIds: [9] };

/** The numbers [3, 2, B] as the device returns them: the ids of each step, and the log-probabilities −1, −2 and −3. */
const packed = (...steps: number[][]) =>
  Float32Array.from(steps.flatMap((ids, t) => [...ids, ...ids.map(() => -(t + 1))]));

describe('RowContexts', () => {
  it('aligns chunks at the right end and hides the padding', () => {
    const rows = new RowContexts(2, 20);
    const grid = rows.lay([{ tokens: [5, 6, 7], visible: [true, false, true] }, { tokens: [8] }]);
    expect(grid).toEqual({
      width: 3,
      ids: Int32Array.of(5, 6, 7, 0, 0, 8),
      visible: Float32Array.of(1, 0, 1, 0, 0, 1),
      positions: Int32Array.of(0, 1, 2, 0, 0, 0),
      starts: Int32Array.of(0, 2),
    });
    expect(rows.lay([{ tokens: [] }, { tokens: [] }])).toBeNull();
  });

  it('feeds the token of the last step first, and nothing twice', () => {
    const rows = new RowContexts(2, 20);
    rows.lay([{ tokens: [5, 6] }, { tokens: [7] }]);
    expect(rows.open([true, true])).toEqual(Int32Array.of(2, 1));
    const said = rows.close(packed([1, 9], [2, 4], [9, 4]), turn);
    expect(said.ids).toEqual(Int32Array.of(1, 2, 9, 9, 0, 0));
    expect(said.logprobs).toEqual(Float32Array.of(-1, -2, -3, -1, 0, 0));
    expect(said.lengths).toEqual(Int32Array.of(3, 1));
    // Row 0 ended with the last step, so the network has not processed its end token. The end token of row 1 was
    // processed during the turn.
    expect(rows.lay([{ tokens: [] }, { tokens: [6] }])).toEqual({
      width: 1,
      ids: Int32Array.of(9, 6),
      visible: Float32Array.of(1, 1),
      positions: Int32Array.of(4, 2),
      starts: Int32Array.of(0, 0),
    });
  });

  it('counts only the steps of a turn that stopped early, and ignores the numbers after them', () => {
    const rows = new RowContexts(2, 20);
    rows.lay([{ tokens: [5] }, { tokens: [7] }]);
    rows.open([true, true]);
    const said = rows.close(packed([9, 1], [4, 9], [9, 9]), turn, 2);
    expect(said.lengths).toEqual(Int32Array.of(1, 2));
    expect(rows.lay([{ tokens: [] }, { tokens: [] }])).toMatchObject({ width: 1, ids: Int32Array.of(0, 9) });
  });

  it('lets a row speak only once after it has received tokens', () => {
    const rows = new RowContexts(2, 20);
    rows.lay([{ tokens: [5] }, { tokens: [] }]);
    expect(() => rows.open([true, true])).toThrow(/row 1 has received no tokens/);
    rows.open([true, false]);
    expect(() => rows.open([true, false])).toThrow(/row 0 has received no tokens/);
  });

  it('refuses more tokens than the model has positions, and does not change the rows', () => {
    const rows = new RowContexts(1, 3);
    rows.lay([{ tokens: [5, 6] }]);
    expect(() => rows.lay([{ tokens: [7, 8] }])).toThrow(ShapeError);
    expect(rows.lay([{ tokens: [7] }])).toMatchObject({ positions: Int32Array.of(2) });
  });
});

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
