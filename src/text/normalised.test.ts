import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberIn, plainWords, sharedWords } from './normalised.ts';

describe('a number', () => {
  it.each([
    ['72', '72'],
    ['$1,200.50', '1200.5'],
    ['48/2=24', '24'],
    ['-0', '0'],
    ['about .5 of it', '0.5'],
    ['10%', '10'],
    ['007', '7'],
  ])('of %j is %j', (text, number) => expect(numberIn(text)).toBe(number));

  it('is none where there is no digit', () => expect(numberIn('none - at . all,')).toBeNull());

  it('is read in any text, and reads back as itself', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = numberIn(text);
        if (read !== null && !/e/.test(read)) expect(numberIn(read)).toBe(read);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(numberIn(value.toLocaleString('en'))).toBe(`${value}`);
      }),
    );
  });
});

describe('a short answer', () => {
  it('has no case, no article and no punctuation', () => {
    expect(plainWords('The  Beatles, a band!')).toBe('beatles band');
    expect(plainWords('Été d’an Théo')).toBe('été dan théo');
  });

  it('shares words by F1, each as often as it stands there', () => {
    expect(sharedWords('the Beatles', 'Beatles')).toBe(1);
    expect(sharedWords('Paul McCartney', 'Paul Simon')).toBe(0.5);
    expect(sharedWords('no no', 'no')).toBeCloseTo(2 / 3, 12);
    expect(sharedWords('Rome', 'Paris')).toBe(0);
  });

  it('shares between 0 and 1, the same both ways', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const share = sharedWords(one, other);
        expect(share).toBe(sharedWords(other, one));
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(sharedWords(one, one)).toBe(1);
      }),
    );
  });
});
