import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordDiff } from './wordDiff.ts';

const shown = (before: string, after: string) => {
  const diff = wordDiff(before, after);
  const marked = (parts: typeof diff.before) =>
    parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
  return [marked(diff.before), marked(diff.after)];
};

describe('the difference between two texts', () => {
  it('keeps the common words and marks the others', () => {
    expect(shown('The hat is blue.', 'My friend, the hat is yellow.')).toEqual([
      '[The] hat is[ blue].',
      '[My friend, the] hat is[ yellow].',
    ]);
    expect(shown('well-known', 'well known')).toEqual(['well[-]known', 'well known']);
  });

  it('does not count white space, and compares words as a whole', () => {
    expect(shown('one\ntwo ', ' one  two')).toEqual(['one\ntwo ', ' one  two']);
    expect(shown("don't", "don'ts")).toEqual(["[don't]", "[don'ts]"]);
    expect(shown('', 'new')).toEqual(['', '[new]']);
  });

  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', ',', 'é', "a'b"), { maxLength: 12 })
    .map((units) => units.join(''));

  it('loses nothing of either text, and leaves the same words unchanged in both', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = wordDiff(before, after);
        const whole = (parts: typeof diff.before) => parts.map((part) => part.text).join('');
        expect([whole(diff.before), whole(diff.after)]).toEqual([before, after]);
        const kept = (parts: typeof diff.before) =>
          parts
            .filter(({ isChanged }) => !isChanged)
            .map((part) => part.text)
            .join('')
            .replace(/\s/g, '');
        expect(kept(diff.before)).toBe(kept(diff.after));
      }),
    );
  });

  it('keeps as many words as the best choice of words in order', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });
    /** The length of the longest common sequence, by trying both ways at every difference. */
    const longest = ([a, ...left]: string[], [b, ...right]: string[]): number => {
      if (a === undefined || b === undefined) return 0;
      return a === b ? 1 + longest(left, right) : Math.max(longest([a, ...left], right), longest(left, [b, ...right]));
    };
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const { before: parts } = wordDiff(before.join(' '), after.join(' '));
        const kept = parts.filter(({ isChanged }) => !isChanged).flatMap((part) => part.text.match(/\S+/g) ?? []);
        expect(kept.length).toBe(longest(before, after));
      }),
    );
  });
});
