import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAll, partsOf } from './find.ts';

const turns = [
  ['The', ' hat', ' is', ' yel', 'low', '.\n', 'It', ' is', ' yellow', '⏎'],
  ['Don', '’t', ' say', ' Yellow', '⏎'],
];
const texts = turns.map((tokens) => tokens.join(''));
const marked = (query: string) => {
  const matches = findAll(texts, query);
  return matches.map((_, n) =>
    turns
      .flatMap((tokens, turn) => partsOf(tokens, turn, matches).flat())
      .filter(({ match }) => match === n)
      .map(({ text }) => text),
  );
};

describe('a search in a dialogue', () => {
  it('finds a word in one token, in several tokens and in capitals', () => {
    expect(marked('yellow')).toEqual([['yel', 'low'], ['yellow'], ['Yellow']]);
  });

  it('takes a line break for a space and one kind of apostrophe for the other', () => {
    expect(marked('. it is')).toEqual([['.\n', 'It', ' is']]);
    expect(marked("don't")).toEqual([['Don', '’t']]);
  });

  it('finds nothing if there is nothing to find', () => {
    expect([marked(''), marked('  '), marked('green')]).toEqual([[], [], []]);
    expect(marked('yellow⏎don')).toEqual([]); // no match extends over two turns
  });

  it('marks every match completely and changes no token, whatever the texts are', () => {
    const token = fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', '\n', 'İ', '’', "'", '😀'), maxLength: 3 });
    const dialogue = fc.array(fc.array(token, { maxLength: 8 }), { maxLength: 3 });
    fc.assert(
      fc.property(dialogue, token, (said, query) => {
        const whole = said.map((tokens) => tokens.join(''));
        const matches = findAll(whole, query);
        const parts = said.map((tokens, turn) => partsOf(tokens, turn, matches));
        expect(parts.map((turn) => turn.map((one) => one.map(({ text }) => text).join('')))).toEqual(said);
        matches.forEach(({ turn, from, to }, n) => {
          const own = parts.flat(2).filter(({ match }) => match === n);
          expect(own.map(({ text }) => text).join('')).toBe(whole[turn]?.slice(from, to));
          expect(to - from).toBe(query.length);
        });
      }),
    );
  });
});
