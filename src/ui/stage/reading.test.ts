import { describe, expect, it } from 'vitest';
import { readingOf } from './reading.ts';

const read = (expression: string, rule: 'precedence' | 'leftToRight' | 'rightToLeft') => {
  const reading = readingOf(expression, rule);
  return reading && `${reading.bracketed} = ${reading.value}`;
};

describe('how a rule reads an expression', () => {
  it('sets the brackets that the rule leaves out', () => {
    expect(read('1-6-2', 'rightToLeft')).toBe('1 − (6 − 2) = -3');
    expect(read('1-6-2', 'leftToRight')).toBe('(1 − 6) − 2 = -7');
    expect(read('7+4*2-5', 'precedence')).toBe('(7 + (4 × 2)) − 5 = 10');
    expect(read('3-3+4', 'precedence')).toBe('(3 − 3) + 4 = 4');
    expect(read('7+4*2-5', 'rightToLeft')).toBe('7 + (4 × (2 − 5)) = -5');
  });

  it('keeps the sign of a number, and reads a number alone as itself', () => {
    expect(read('12+-7*3', 'leftToRight')).toBe('(12 + −7) × 3 = 15');
    expect(read('-4', 'precedence')).toBe('−4 = -4');
  });

  it('leaves alone what is no expression', () => {
    expect(read('1+', 'leftToRight')).toBeNull();
    expect(read('who?', 'leftToRight')).toBeNull();
  });
});
