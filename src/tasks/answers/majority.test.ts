import { expect, it } from 'vitest';
import { mostBelieved, mostCommon } from './majority.ts';

it('the most common answer wins, among equal ones the first, and a missing answer never wins', () => {
  expect(mostCommon(['1', '2', '2'])).toEqual({ answer: '2', count: 2 });
  expect(mostCommon(['1', '2'])).toEqual({ answer: '1', count: 1 });
  expect(mostCommon([null, undefined, null, '7'])).toEqual({ answer: '7', count: 1 });
  expect(mostCommon([null])).toEqual({ answer: null, count: 0 });
  expect(mostCommon([])).toEqual({ answer: null, count: 0 });
});

it('the answer with the highest belief wins, among equal ones the first, and a missing one never wins', () => {
  const given = (answer: string | null, belief?: number) => ({ answer, belief });
  expect(mostBelieved([given('1', 0.2), given('2', 0.7), given(null, 0.9)])).toBe('2');
  expect(mostBelieved([undefined, given('1', 0.5), given('2', 0.5)])).toBe('1');
  expect(mostBelieved([given('1'), given('2')])).toBe('1');
  expect(mostBelieved([given(null, 1)])).toBeNull();
  expect(mostBelieved([])).toBeNull();
});
