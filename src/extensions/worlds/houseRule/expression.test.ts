import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUnambiguous, parseExpression, placesOf, printExpression, printOperation } from './expression.ts';

const anyExpression = fc
  .array(fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.constantFrom('+', '-', '*', '/')), {
    minLength: 1,
    maxLength: 7,
  })
  .map((pieces) => ({
    numbers: pieces.map(([number]) => number),
    operators: pieces.slice(1).map(([, operator]) => operator),
  }));

describe('an expression', () => {
  it('reads a minus after an operator as the sign of its number', () => {
    expect(parseExpression('12+-7*3--4')).toEqual({ numbers: [12, -7, 3, -4], operators: ['+', '*', '-'] });
    expect(parseExpression('-5')).toEqual({ numbers: [-5], operators: [] });
    expect(parseExpression('-5-5')).toEqual({ numbers: [-5, 5], operators: ['-'] });
  });

  it('is the same after printing and parsing', () => {
    fc.assert(
      fc.property(anyExpression, (expression) => {
        expect(parseExpression(printExpression(expression))).toEqual(expression);
      }),
    );
  });

  it('has only one text: each text that can be parsed is printed unchanged', () => {
    const garbage = fc.string({ unit: fc.constantFrom(...'0123456789+-*/=; <e') });
    fc.assert(
      fc.property(garbage, (text) => {
        const parsed = parseExpression(text);
        if (parsed) expect(printExpression(parsed)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('can be parsed from any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseExpression(text);
        expect(parsed === null || parsed.numbers.length === parsed.operators.length + 1).toBe(true);
      }),
    );
  });

  it.each(['', '+', '7+', '+7', '7---2', '7**2', '07', '-0', '7+-0', '7 +2', '7=2', '1e3', '9'.repeat(20), '7+2\n'])(
    'is not %j',
    (text) => expect(parseExpression(text)).toBeNull(),
  );

  it('finds the place of an operation by its numbers, not by its characters', () => {
    const expression = parseExpression('14*2+4*25-4*2')!;
    expect(placesOf(parseExpression('4*2')!, expression)).toEqual([4]);
    expect(printOperation(expression, 4)).toBe('4*2');
  });

  it('is ambiguous at an operation that occurs twice', () => {
    const expression = parseExpression('2+2+2*3')!;
    expect([0, 1, 2].map((index) => isUnambiguous(expression, index))).toEqual([false, false, true]);
  });
});
