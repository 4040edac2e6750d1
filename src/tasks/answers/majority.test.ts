import { expect, it } from 'vitest';
import { mostCommon } from './majority.ts';

it('the most common answer wins, of equals the one given first, and no answer never', () => {
  expect(mostCommon(['1', '2', '2'])).toEqual({ answer: '2', count: 2 });
  expect(mostCommon(['1', '2'])).toEqual({ answer: '1', count: 1 });
  expect(mostCommon([null, undefined, null, '7'])).toEqual({ answer: '7', count: 1 });
  expect(mostCommon([null])).toEqual({ answer: null, count: 0 });
  expect(mostCommon([])).toEqual({ answer: null, count: 0 });
});
