import { describe, expect, it } from 'vitest';
import {
  bare,
  bareSigned,
  brief,
  bytes,
  count,
  decimal,
  duration,
  mathText,
  percent,
  scientific,
  signed,
  spokenToken,
  tokenText,
  turnTokens,
  typeset,
} from './words.ts';

const said = (text: string, ends: { isFinish?: boolean; isTruncated?: boolean } = {}) =>
  turnTokens({ text, isFinish: false, isTruncated: false, ...ends });

describe('numbers in words', () => {
  it('drops the zero before the point in tables only', () => {
    expect([0.81, 1, -0.412, 0].map((x) => bare(x))).toEqual(['.81', '1.00', '−.41', '.00']);
    expect(decimal(0.81)).toBe('0.81');
    expect(bare(10.5)).toBe('10.50');
  });

  it('never writes a negative zero or a signed zero', () => {
    expect([decimal(-0.001), bare(-0.001), signed(-0.001), signed(0.001), bareSigned(0)]).toEqual([
      '0.00',
      '.00',
      '0.00',
      '0.00',
      '.00',
    ]);
  });

  it('writes the sign with a true minus', () => {
    expect([signed(0.87), signed(-0.87), bareSigned(0.87), bareSigned(-0.87)]).toEqual([
      '+0.87',
      '−0.87',
      '+.87',
      '−.87',
    ]);
  });

  it('shows absence as a dash and a broken number as what it is', () => {
    expect([decimal(null), bare(undefined), signed(Number.NaN), decimal(-Infinity), brief(Infinity)]).toEqual([
      '–',
      '–',
      'NaN',
      '−∞',
      '∞',
    ]);
  });

  it('writes powers of ten with superscripts', () => {
    expect([scientific(3e-4), scientific(1.5e-12), scientific(-2e6), scientific(0)]).toEqual([
      '3 × 10⁻⁴',
      '1.5 × 10⁻¹²',
      '−2 × 10⁶',
      '0',
    ]);
  });

  it('keeps about three significant digits at every size', () => {
    expect(brief(1.3e-13)).toBe('≈ 0');
    expect([0.000_3, 0.021, 1.837, 31.25, 312.4, 57_120, 0].map(brief)).toEqual([
      '3 × 10⁻⁴',
      '0.021',
      '1.84',
      '31.3',
      '312',
      '57k',
      '0',
    ]);
  });

  it('counts in k and M, and carries when rounding crosses a unit', () => {
    expect([950, 1_000, 57_344, 999_600, 1_234_567, 41_000].map(count)).toEqual([
      '950',
      '1k',
      '57k',
      '1M',
      '1.2M',
      '41k',
    ]);
    expect([12, 5_400, 38_000_000, 999_600].map(bytes)).toEqual(['12 B', '5.4 kB', '38 MB', '1 MB']);
  });

  it('says durations as one says them', () => {
    expect([40, 400, 9_949, 23_000, 59_700, 80_000, 7_500_000, Number.NaN].map(duration)).toEqual([
      '40 ms',
      '0.4 s',
      '9.9 s',
      '23 s',
      '1 min',
      '1 min 20 s',
      '2 h 5 min',
      '–',
    ]);
    expect(percent(0.184)).toBe('18 %');
  });
});

describe('expressions and tokens', () => {
  it('sets an expression with spaces, × and a true minus', () => {
    expect(typeset('7+4*2-5')).toBe('7 + 4 × 2 − 5');
    expect(typeset('12*3')).toBe('12 × 3');
  });

  it('keeps a sign with its number', () => {
    expect(typeset('-3+4*-2')).toBe('−3 + 4 × −2');
  });

  it('sets signs within a sentence and leaves hyphens alone', () => {
    expect(mathText('the right-most 4*2-5 is left')).toBe('the right-most 4×2−5 is left');
  });

  it('splits a turn into its tokens and shows how it ended', () => {
    expect(said('4*2')).toEqual(['4', '*', '2', '⏎']);
    expect(said('', { isFinish: true })).toEqual(['■']);
    expect(said('<finish>', { isFinish: true })).toEqual(['■']);
    expect(said('7+<unused0>8', { isTruncated: true })).toEqual(['7', '+', '<unused0>', '8']);
  });

  it('gives marks a name that can be spoken', () => {
    expect(['⏎', '■', '×', '−', '7'].map(spokenToken)).toEqual(['end of turn', 'finish', 'times', 'minus', '7']);
  });
});

describe('a token that joins an operator and a digit', () => {
  const joined = (text: string, tokens: number[], isTruncated = false) =>
    turnTokens({ text, tokens, isFinish: false, isTruncated });

  it('is set as one, where it was said as one', () => {
    expect(joined('4*2=8;7', [13, 54, 70, 23, 16, 2])).toEqual(['4', '*2', '=8', ';', '7', '⏎']);
    expect(joined('<pad>*2', [0, 54], true)).toEqual(['<pad>', '*2']);
    expect(joined('4*2', [13, 21, 11, 2])).toEqual(['4', '*', '2', '⏎']);
    expect(['*2', '-1', '=8', ';7', '-'].map(tokenText)).toEqual(['×2', '−1', '=8', ';7', '−']);
    expect(spokenToken('*2')).toBe('times 2');
  });
});
