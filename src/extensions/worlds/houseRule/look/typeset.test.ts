import { describe, expect, it } from 'vitest';
import type { RuleName } from '../form.ts';
import { mathText, typeset } from '../../../../ui/worlds/worldLook.ts';
import { agreeing, digitOf, readingOf, rulesInWords, stepsOf } from './typeset.ts';
import { lookOf, turnTokens } from '../../../../ui/worlds/look.ts';

const look = lookOf('houseRule');
const said = (text: string, ends: { isFinish?: boolean; isTruncated?: boolean } = {}) =>
  turnTokens({ text, isFinish: false, isTruncated: false, ...ends }, look);

const read = (expression: string, rule: 'precedence' | 'leftToRight' | 'rightToLeft') => {
  const reading = readingOf(expression, rule);
  return reading && `${reading.bracketed} = ${reading.value}`;
};

describe('the reading of an expression by a rule', () => {
  it('adds the brackets that the rule implies', () => {
    expect(read('1-6-2', 'rightToLeft')).toBe('1 − (6 − 2) = -3');
    expect(read('1-6-2', 'leftToRight')).toBe('(1 − 6) − 2 = -7');
    expect(read('7+4*2-5', 'precedence')).toBe('(7 + (4 × 2)) − 5 = 10');
    expect(read('3-3+4', 'precedence')).toBe('(3 − 3) + 4 = 4');
    expect(read('12+6/3-4', 'precedence')).toBe('(12 + (6 ÷ 3)) − 4 = 10');
    expect(read('7+4*2-5', 'rightToLeft')).toBe('7 + (4 × (2 − 5)) = -5');
  });

  it('keeps the sign of a number, and a single number is unchanged', () => {
    expect(read('12+-7*3', 'leftToRight')).toBe('(12 + −7) × 3 = 15');
    expect(read('-4', 'precedence')).toBe('−4 = -4');
  });

  it('turns a negative result into a digit by a correct sum', () => {
    expect([-1, -6, -10, -32, 0, 24].map(digitOf)).toEqual([
      '−1 + 10 = 9',
      '−6 + 10 = 4',
      '−10 + 10 = 0',
      '−32 + 40 = 8',
      null,
      null,
    ]);
    for (let result = -200; result < 0; result++) {
      const [sum = '', digit = ''] = (digitOf(result) ?? '').split(' = ');
      const [below = '', tens = ''] = sum.split(' + ');
      expect(Number(below.replace('−', '-')) + Number(tens)).toBe(Number(digit));
      expect(digit).toMatch(/^\d$/);
    }
  });

  it('gives the steps up to the answer of the world', () => {
    const steps = (shown: string, slice: string, level = 1) => stepsOf({ shown, slice, level });
    expect(steps('9-2*3', 'precedence')).toEqual([
      { operation: '2 × 3', result: 6, left: '9 − 6' },
      { operation: '9 − 6', result: 3, left: '3' },
    ]);
    expect(steps('8*5-9', 'rightToLeft')).toEqual([
      { operation: '5 − 9', result: -4, left: '8 × 6' },
      { operation: '8 × 6', result: 48, left: '8' },
    ]);
    expect(steps('4--3*2', 'leftToRight', 4)?.at(-1)).toEqual({ operation: '7 × 2', result: 14, left: '14' });
    expect([steps('who?', 'precedence'), steps('1+2', 'odd')]).toEqual([null, null]);
  });

  it('is null for a text that is no expression', () => {
    expect(read('1+', 'leftToRight')).toBeNull();
    expect(read('who?', 'leftToRight')).toBeNull();
  });
});

describe('expressions and tokens', () => {
  it('are set with spaces, × and a true minus; a sign stays with its number', () => {
    expect(['7+4*2-5', '12*3', '-3+4*-2', '8/-2'].map(typeset)).toEqual([
      '7 + 4 × 2 − 5',
      '12 × 3',
      '−3 + 4 × −2',
      '8 ÷ −2',
    ]);
  });

  it('have typographic signs within a sentence, and hyphens are unchanged', () => {
    expect(mathText('the right-most 4*2-5 is left')).toBe('the right-most 4×2−5 is left');
  });

  it('show a turn sign by sign, with its end', () => {
    expect(said('4*2')).toEqual(['4', '×', '2', '⏎']);
    expect(said('', { isFinish: true })).toEqual(['■']);
    expect(said('<finish>', { isFinish: true })).toEqual(['■']);
    expect(said('7+<unused0>8', { isTruncated: true })).toEqual(['7', '+', '<unused0>', '8']);
  });

  it('join an operator and a digit that were sampled as one token', () => {
    const joined = (text: string, tokens: number[], isTruncated = false) =>
      turnTokens({ text, tokens, isFinish: false, isTruncated }, look);
    expect(joined('4*2=8;7', [13, 54, 70, 23, 16, 2])).toEqual(['4', '×2', '=8', ';', '7', '⏎']);
    expect(joined('<pad>*2', [0, 54], true)).toEqual(['<pad>', '×2']);
    expect(joined('4*2', [13, 21, 11, 2])).toEqual(['4', '×', '2', '⏎']);
  });
});

describe('a problem', () => {
  const of = (shown: string, answer: string, rule: RuleName) => rulesInWords(agreeing({ shown, answer }, rule));

  it('on which two rules agree is described with both rules', () => {
    expect(of('2+2*2', '6', 'rightToLeft')).toBe('right to left and multiplication first');
    expect(of('3-3+4', '4', 'precedence')).toBe('multiplication first and left to right');
    expect(of('4-6-1', '9', 'rightToLeft')).toBe('right to left');
    expect(of('-48/-8--9--17', '32', 'leftToRight')).toBe('left to right and multiplication first');
  });
});
