import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readNumber, typedNumber } from './typedNumber.ts';

it('numbers in links and command lines are digits, with a point if they need not be whole', () => {
  expect([' 3e-4 ', '0.2', '.5', '5.', '−1', '+2', '1e3'].map((text) => readNumber(text))).toEqual([
    3e-4, 0.2, 0.5, 5, -1, 2, 1000,
  ]);
  for (const text of [
    '',
    ' ',
    '0x10',
    '0b1',
    '0o7',
    '1,000',
    '0,2',
    '1 000',
    '1_000',
    'Infinity',
    'NaN',
    '1e999',
    '--1',
    'fast',
  ])
    for (const isWhole of [false, true]) expect(readNumber(text, { isWhole }), text).toBeNull();
  expect(['12', '1e3', '-3'].map((text) => readNumber(text, { isWhole: true }))).toEqual([12, 1000, -3]);
  for (const text of ['1.0', '1.000', '1.5', '.5', '1e-3'])
    expect(readNumber(text, { isWhole: true }), text).toBeNull();
});

it('a whole number that is typed has no separator, in any language', () => {
  for (const hasCommas of [false, true])
    for (const text of [
      '1,000',
      '10,000',
      '1.000',
      '1 000',
      '1\u00a0000',
      '1,000,000',
      '1.000.000',
      '1,5',
      '1.5',
      '0x10',
    ])
      expect(typedNumber(text, { isWhole: true, hasCommas }), text).toBeNull();
  expect(typedNumber(' 1000 ', { isWhole: true })).toBe(1000);
});

it('typed decimals follow a point, or a comma that cannot separate thousands', () => {
  expect(['0,2', '1,5', ',5', '0,200', '1000,250', '−1,25'].map((text) => typedNumber(text))).toEqual([
    0.2, 1.5, 0.5, 0.2, 1000.25, -1.25,
  ]);
  for (const text of ['1,000', '12,345', '-1,000', '1,000,000', '1,000.5', '1.000,5', '1.0.0', '1,0,0'])
    expect(typedNumber(text), text).toBeNull();
  expect(typedNumber('1,125', { hasCommas: true })).toBe(1.125);
  for (const text of ['1.000,5', '1,000.5', '1,000,000'])
    expect(typedNumber(text, { hasCommas: true }), text).toBeNull();
});

it('the text that a field shows is read as its value', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.integer(),
      fc.boolean(),
      (real, whole, hasCommas) => {
        expect(typedNumber(String(real), { hasCommas })).toBe(real);
        expect(readNumber(String(real))).toBe(real);
        expect(typedNumber(String(whole), { isWhole: true, hasCommas })).toBe(whole);
      },
    ),
  );
});
