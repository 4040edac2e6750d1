import { expect, it } from 'vitest';
import { extentOf, heightOf, lineHeightPx, shownLines } from './fold.ts';

const settled = { isNewest: false, isUnfolded: false };

it('folds a turn only if more lines are hidden than the button takes', () => {
  expect(extentOf(shownLines, settled)).toBe('short');
  expect(extentOf(shownLines + 1, settled)).toBe('folded');
  expect(extentOf(shownLines + 1, { ...settled, isUnfolded: true })).toBe('unfolded');
});

it('shows the end of the newest turn, even if the visitor unfolded a turn before', () => {
  expect(extentOf(40, { isNewest: true, isUnfolded: false })).toBe('end');
  expect(extentOf(40, { isNewest: true, isUnfolded: true })).toBe('end');
  expect(extentOf(3, { isNewest: true, isUnfolded: false })).toBe('short');
});

it('leaves the height of a card unchanged when its turn has ended and is folded', () => {
  expect((heightOf('end') ?? 0) - (heightOf('folded') ?? 0)).toBe(2 * lineHeightPx);
  expect(heightOf('short')).toBe(heightOf('end'));
  expect(heightOf('unfolded')).toBeNull();
});
