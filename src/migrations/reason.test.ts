import fc from 'fast-check';
import { expect, it } from 'vitest';
import { because, type Reason } from '../base/reason.ts';
import { reasonInEnglish } from '../base/spoken.ts';
import { presentReason } from './reason.ts';

it('a reason that was stored as text is the same text today', () => {
  expect(presentReason('')).toEqual([]);
  expect(presentReason('not finished; the answer is 5')).toEqual(['not finished; the answer is 5']);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(reasonInEnglish(presentReason(text) as Reason)).toBe(text);
    }),
  );
});

it('a reason of today is left as it is', () => {
  const reason = because`the answer is ${5}`;
  expect(presentReason(reason)).toBe(reason);
  expect(presentReason([])).toEqual([]);
  expect(presentReason(undefined)).toBeUndefined();
});
