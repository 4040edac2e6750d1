import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleNames, type RuleName } from './form.ts';
import { parseExpression, printExpression, type Expression } from './expression.ts';
import { applyOperation, evaluate, nextOperation, type Modulus } from './rules.ts';

/**
 * Computes the value of an expression in a second way: the expression is split at its outermost operation, and both
 * parts are evaluated recursively.
 */
function byRecursion({ numbers, operators: joined }: Expression, rule: RuleName, modulus: Modulus): number {
  const last = joined.length - 1;
  if (last < 0) return numbers[0] as number;
  const split =
    rule === 'rightToLeft'
      ? 0 // the outermost operation is done last: the first one
      : rule === 'leftToRight'
        ? last
        : Math.max(joined.lastIndexOf('+'), joined.lastIndexOf('-')) >= 0
          ? Math.max(joined.lastIndexOf('+'), joined.lastIndexOf('-'))
          : last;
  const a = byRecursion({ numbers: numbers.slice(0, split + 1), operators: joined.slice(0, split) }, rule, modulus);
  const b = byRecursion({ numbers: numbers.slice(split + 1), operators: joined.slice(split + 1) }, rule, modulus);
  const exact = { '+': a + b, '-': a - b, '*': a * b, '/': Number.isInteger(a / b) ? a / b : Number.NaN }[
    joined[split] as '+' | '-' | '*' | '/'
  ];
  return modulus === null ? exact + 0 : ((exact % modulus) + modulus) % modulus;
}

// The comment above each case shows the intermediate results, first by precedence, then from left to right, then from
// right to left.
const worked: [string, Modulus, Record<RuleName, number>][] = [
  // 7 + 8; 11 × 2; 7 + 8 (of each result, only the last digit is kept)
  ['7+4*2', 10, { precedence: 5, leftToRight: 2, rightToLeft: 5 }],
  // 2 − 12 = −10; −1 × 4; 2 − 12
  ['2-3*4', 10, { precedence: 0, leftToRight: 6, rightToLeft: 0 }],
  // 9 − 5 + 1; 9 − 5 + 1; 9 − 6
  ['9-5+1', 10, { precedence: 5, leftToRight: 5, rightToLeft: 3 }],
  // 8 − 6 + 5; 6, 18 → 8, 13 → 3; 8, 16 → 6, 2
  ['8-2*3+5', 10, { precedence: 7, leftToRight: 3, rightToLeft: 2 }],
  // 12 − 21 + 4; 5, 15, 19; 7, −49, −37
  ['12+-7*3--4', null, { precedence: -5, leftToRight: 19, rightToLeft: -37 }],
  // 2 + 12 − 5 + 6; 5, 20, 15, 21; 11, −7, 21, −19
  ['2--3*4-5+6', null, { precedence: 15, leftToRight: 21, rightToLeft: -19 }],
  // 12 + 2 − 4; 18, 6, 2; −1, −6, 6
  ['12+6/3-4', null, { precedence: 10, leftToRight: 2, rightToLeft: 6 }],
  // 10 − 40 − 6 + 20; −10, −20, −23, −46, −26; 22, 66, −64, 1280, 1290
  ['10+-20*2-3*2--20', null, { precedence: -16, leftToRight: -26, rightToLeft: 1290 }],
];

describe('a house rule', () => {
  it.each(worked)('gives %s (modulus %s) its hand-worked values', (text, modulus, values) => {
    const expression = parseExpression(text)!;
    for (const rule of ruleNames) expect([rule, evaluate(expression, rule, modulus)]).toEqual([rule, values[rule]]);
  });

  it('chooses its next operation', () => {
    const expression = parseExpression('1+2*3-4*5')!;
    expect(ruleNames.map((rule) => nextOperation(expression, rule))).toEqual([1, 0, 3]);
    expect(ruleNames.map((rule) => nextOperation(parseExpression('-7')!, rule))).toEqual([-1, -1, -1]);
  });

  it('replaces one operation by its result', () => {
    expect(printExpression(applyOperation(parseExpression('7-4*-2')!, 1, null))).toBe('7--8');
    expect(printExpression(applyOperation(parseExpression('7-9+1')!, 0, 10))).toBe('8+1');
  });

  it('never writes minus zero', () => {
    expect(Object.is(evaluate(parseExpression('0*-3')!, 'leftToRight', null), 0)).toBe(true);
    expect(Object.is(evaluate(parseExpression('0-5*2')!, 'precedence', 10), 0)).toBe(true);
  });

  it('agrees with a recursive solution', () => {
    const anyExpression = fc
      .array(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.constantFrom('+', '-', '*', '/')), {
        minLength: 1,
        maxLength: 6,
      })
      .map((pieces) => ({ numbers: pieces.map(([n]) => n), operators: pieces.slice(1).map(([, o]) => o) }));
    fc.assert(
      fc.property(
        anyExpression,
        fc.constantFrom(...ruleNames),
        fc.constantFrom(null, 10),
        (expression, rule, modulus) => {
          const single = expression.operators.length === 0;
          const value = byRecursion(expression, rule, modulus);
          if (!single) expect(evaluate(expression, rule, modulus)).toBe(Number.isNaN(value) ? null : value);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('divides exactly or not at all', () => {
    expect(evaluate(parseExpression('-84/7')!, 'leftToRight', null)).toBe(-12);
    expect(evaluate(parseExpression('84/-7')!, 'leftToRight', null)).toBe(-12);
    expect(Object.is(evaluate(parseExpression('0/-7')!, 'leftToRight', null), 0)).toBe(true);
    expect(evaluate(parseExpression('85/7')!, 'leftToRight', null)).toBeNull();
    expect(evaluate(parseExpression('8/0')!, 'leftToRight', null)).toBeNull();
    expect(nextOperation(parseExpression('1+8/2*3')!, 'precedence')).toBe(1);
  });

  it('gives null beyond the range of exact integers', () => {
    expect(evaluate(parseExpression('99999999*99999999*9')!, 'leftToRight', null)).toBeNull();
  });
});
