import { describe, expect, it } from 'vitest';
import { lookOf, turnTokens } from '../../../../ui/worlds/look.ts';
import { stepsOf, written } from './typeset.ts';

const look = lookOf('wordProblems');

describe('word problems on the page', () => {
  it('set operations as in print, and do not change sentences', () => {
    expect(['7*3', '14-4', 'How many cups does Ann have?', ''].map(written)).toEqual([
      '7 × 3',
      '14 − 4',
      'How many cups does Ann have?',
      '',
    ]);
    expect(look.sentence('14*4 was asked for')).toBe('14×4 was asked for');
  });

  it('show one word, digit or sign per token', () => {
    expect(look.tokens('Ann has two cups.')).toEqual(['Ann', 'has', 'two', 'cups', '.']);
    expect(turnTokens({ text: '14-4', isFinish: false, isTruncated: false }, look)).toEqual(['1', '4', '−', '4', '⏎']);
    expect(look.tokens('<meta>7*3')).toEqual(['<meta>', '7', '×', '3']);
  });

  it('list the steps of a story one by one, and its irrelevant numbers', () => {
    const given = {
      start: 2,
      steps: [
        { operator: '*', number: 7 },
        { operator: '-', number: 4 },
      ],
      others: [5],
    };
    expect(stepsOf({ given })).toEqual({ equations: ['2 × 7 = 14', '14 − 4 = 10'], others: [5] });
    expect(stepsOf({ given: { rule: 'precedence' } })).toBeNull();
  });
});
