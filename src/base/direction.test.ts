import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isolated, turnsDirection, withoutTurns } from './direction.ts';
import { spoken } from './spoken.ts';

const signs = fc.string({ unit: fc.constantFrom('a', '\u202E', '\u202C', '\u2067', '\u2068', '\u2069', 'א') });

/**
 * The number of Unicode isolates that are open at the end of the text, and the smallest number of open isolates at any
 * position.
 */
function depths(text: string): [last: number, least: number] {
  let [depth, least] = [0, 0];
  for (const sign of text) {
    if (/[\u2066-\u2068]/.test(sign)) depth++;
    if (sign === '\u2069') least = Math.min(least, --depth);
  }
  return [depth, least];
}

it('an inserted text is isolated for any content, also at several levels', () => {
  fc.assert(
    fc.property(signs, signs, (one, other) => {
      const inner = isolated(one);
      const outer = isolated(`${inner} and ${isolated(other)}`);
      for (const text of [inner, outer]) expect(depths(text)).toEqual([0, 0]);
      if (/[\u202E\u2067א]/.test(one)) expect([inner[0], inner.at(-1)]).toEqual(['\u2068', '\u2069']);
      expect(turnsDirection(withoutTurns(one))).toBe(false);
    }),
  );
});

it('a text of left-to-right letters is not changed', () => {
  for (const text of ['', 'calm-otter', 'España 12', '数', 'a\u200Db']) expect(isolated(text)).toBe(text);
});

it('a sentence isolates the texts that are inserted into it', () => {
  expect(spoken`the file ${'\u202Efdp.exe'}: expected a text, got ${3}.`).toBe(
    'the file \u2068\u202Efdp.exe\u2069: expected a text, got 3.',
  );
});
