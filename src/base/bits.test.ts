import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bitsOf, hexOf } from './bits.ts';

it('four answers are written as one digit, with the first answer as the highest bit', () => {
  expect(hexOf([true, false, true, true, true])).toBe('b8');
  expect(bitsOf('b8', 5)).toEqual([true, false, true, true, true]);
  expect(hexOf([])).toBe('');
});

it('every list is read as it was written, and a text that is too short is refused', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 70 }), (bits) => {
      const hex = hexOf(bits);
      expect(bitsOf(hex, bits.length)).toEqual(bits);
      expect(bitsOf(hex, 4 * hex.length + 1)).toBeNull();
    }),
  );
});
