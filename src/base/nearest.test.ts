import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestOf } from './nearest.ts';

describe('the distance of two words', () => {
  it.each([
    ['train', 'train', 0],
    ['Train', 'train', 0],
    ['trian', 'train', 1],
    ['trai', 'train', 1],
    ['traain', 'train', 1],
    ['brain', 'train', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['ab', 'ba', 1],
    ['abc', 'ca', 3],
  ])('%s to %s is %i', (a, b, expected) => {
    expect(editDistance(a, b)).toBe(expected);
  });

  it('is symmetric, at least the difference of the lengths, and zero only for the same word', () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const found = editDistance(a, b);
        expect(editDistance(b, a)).toBe(found);
        const [m, n] = [[...a.toLowerCase()].length, [...b.toLowerCase()].length];
        expect(found).toBeGreaterThanOrEqual(Math.abs(m - n));
        expect(found).toBeLessThanOrEqual(Math.max(m, n));
        expect(found === 0).toBe(a.toLowerCase() === b.toLowerCase());
      }),
    );
  });
});

describe('the nearest word', () => {
  const known = ['train', 'eval', 'export', 'import', 'collect'];
  it('needs at most one correction for every three letters', () => {
    expect(nearestOf('trian', known)).toBe('train');
    expect(nearestOf('exprot', known)).toBe('export');
    expect(nearestOf('Colect', known)).toBe('collect');
    expect(nearestOf('evaluate', known)).toBeUndefined();
    expect(nearestOf('something', known)).toBeUndefined();
    expect(nearestOf('', known)).toBeUndefined();
    expect(nearestOf('x'.repeat(1_000_000), known)).toBeUndefined();
  });
});
