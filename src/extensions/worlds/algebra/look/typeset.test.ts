import { expect, it } from 'vitest';
import { algebraInWords, checkOf, typesetAlgebra } from './typeset.ts';
import { lookOf, turnTokens } from '../../../../ui/worlds/look.ts';

it('relations and moves are set as in print', () => {
  expect(typesetAlgebra('3x-4=11;-2y+5<-9')).toBe('3x − 4 = 11; −2y + 5 < −9');
  expect(['(1)+4', '/-3', '-2x', '(1)-2(2)'].map(typesetAlgebra)).toEqual(['(1) + 4', '÷ −3', '−2x', '(1) − 2(2)']);
});

it('a sentence has true minus signs and keeps its hyphens', () => {
  expect(algebraInWords('the left-most -2x=-4 was expected')).toBe('the left-most −2x=−4 was expected');
});

it('inequality signs are not read as special tokens', () => {
  const turn = { text: '2x<6;x>3', isFinish: false, isTruncated: false };
  expect(turnTokens(turn, lookOf('algebra')).join(' ')).toBe('2 x < 6 ; x > 3 ⏎');
  expect(turnTokens({ ...turn, text: '<pad>/2', isTruncated: true }, lookOf('algebra'))).toEqual(['<pad>', '÷', '2']);
});

it('the check substitutes the answer if one number is enough', () => {
  expect(checkOf('3x-4=11;2y+5=9', 'x=5')).toBe('3 × 5 − 4 = 11');
  expect(checkOf('5x+2=x-6;2y+5=9', 'x=-2')).toBe('5 × (−2) + 2 = (−2) − 6');
  expect(checkOf('x+y=3;x-y=1', 'x=2')).toBeNull();
  expect(checkOf('2x<6;y>1', 'x<3')).toBeNull();
});
