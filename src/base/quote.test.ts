import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoted, shortened } from './quote.ts';

it('quotes any value in at most 80 signs, and never throws', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const odd = fc.constantFrom<unknown>(10n ** 500n, circle, deep, Symbol('x'.repeat(200)), () => 1, null, undefined);
  const long = fc.string({ minLength: 70, maxLength: 200 });
  fc.assert(
    fc.property(fc.oneof(fc.anything({ withBigInt: true, withNullPrototype: true }), odd, long), (value) => {
      const text = quoted(value);
      expect(text.length).toBeLessThanOrEqual(80);
      expect(text).not.toBe('');
    }),
    { numRuns: 1000 },
  );
});

it('quotes a short value unchanged', () => {
  expect(['wide', 3, -0.5, true, null, undefined, [0, 'x'], { a: 1 }, [{}], Number.NaN].map(quoted)).toEqual([
    '"wide"',
    '3',
    '-0.5',
    'true',
    'null',
    'nothing',
    '[0, "x"]',
    'an object',
    'a list of 1',
    'NaN',
  ]);
  expect(shortened('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`);
});
