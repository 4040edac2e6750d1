import { expect, it } from 'vitest';
import { calculationsIn, lastNumberIn, operationIn, spaced } from './numbers.ts';

it.each<[string, string | null]>([
  ['7 * 3', '7*3'],
  ['7*3', '7*3'],
  ['7 × 3 = 21', '7*3'],
  ['The next step is 7 x 3.', '7*3'],
  ['7 times 3', '7*3'],
  ['Multiply 7 by 3.', '7*3'],
  ['Add 3 to 7', '7+3'],
  ['7 plus 3', '7+3'],
  ['Subtract 3 from 7.', '7-3'],
  ['7 − 3', '7-3'],
  ['-7 + 3', '-7+3'],
  ['12 / 4', '12/4'],
  ['12 divided by 4', '12/4'],
  ['x * 3', null],
  ['seven times three', null],
  ['21', null],
  ['', null],
])('the operation in “%s” is %s', (text, operation) => expect(operationIn(text)).toBe(operation));

it.each<[string, string | null]>([
  ['21', '21'],
  ['The answer is 21.', '21'],
  ['7 * 3 = 21', '21'],
  ['1,200 apples', '1200'],
  ['-5', '-5'],
  ['007', '7'],
  ['0', '0'],
  ['-007', '-7'],
  ['none', null],
  ['', null],
])('the last number in “%s” is %s', (text, number) => expect(lastNumberIn(text)).toBe(number));

it('calculations are read in order, and written with spaces', () => {
  expect(calculationsIn('7 * 3 = 21, then 21 plus 4 = 25')).toEqual(['7*3=21', '21+4=25']);
  expect(calculationsIn('7 * 3')).toEqual([]);
  expect(spaced('7*3=21')).toBe('7 * 3 = 21');
  expect(spaced('-7*-3')).toBe('-7 * -3');
});
