import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberIn, numberStated, plainWords, sharedWords } from './normalised.ts';
import { publishedShares, publishedWords } from './testing/publishedAnswers.ts';

/** Texts that resemble numbers, and arbitrary texts. */
const nearNumbers = fc.string({ unit: fc.constantFrom(...'0123456789,.-−+$€% e/'), maxLength: 12 });
const anyText = fc.oneof(nearNumbers, fc.string({ unit: 'binary' }));

describe('a number in a file', () => {
  it.each([
    ['72', '72'],
    [' 1,004\n', '1004'],
    ['$72.0', '72'],
    ['-$5', '-5'],
    ['$-5', '-5'],
    ['−5', '-5'],
    ['+5', '5'],
    ['.50', '0.5'],
    ['10%', '10'],
    ['€1,200.50', '1200.5'],
    ['007', '7'],
    ['-0', '0'],
    ['0.0000001', '0.0000001'],
    ['12345678901234567890', '12345678901234567890'],
    ['12,345,678,901,234,567,890.10', '12345678901234567890.1'],
  ])('%j is %j', (text, number) => expect(numberStated(text)).toBe(number));

  it.each([
    '1 000',
    '1\u00a0000',
    '1,50',
    '1,0000',
    '1234,567',
    '3/4',
    '2-5',
    '1e3',
    '5.',
    '',
    '-',
    '$',
    '.',
    '--5',
    '42\nThat took 3 steps.',
    '42 (not 43)',
    '42 dollars in 2 days',
    '٣',
    '½',
    'none',
    '0x10',
    'Infinity',
    '1.2.3',
  ])('%j is no number', (text) => expect(numberStated(text)).toBeNull());

  it('is unchanged when it is read again, and when a model says it', () => {
    let taken = 0;
    fc.assert(
      fc.property(anyText, (text) => {
        const read = numberStated(text);
        if (read === null) return;
        taken++;
        expect(numberStated(read)).toBe(read);
        expect(numberIn(text)).toBe(read);
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(20);
  });
});

describe('a number in a message of a model', () => {
  it.each([
    ['72', '72'],
    ['$1,200.50', '1200.5'],
    ['48/2=24', '24'],
    ['-0', '0'],
    ['about .5 of it', '0.5'],
    ['10%', '10'],
    ['007', '7'],
    ['it is -$5', '-5'],
    ['it is $−5', '-5'],
    ['7-12=−5', '-5'],
    ['7-5', '5'],
    ['(3)-5', '5'],
    ['page-5', '5'],
    ['1,50', '50'],
    ['12345678901234567891', '12345678901234567891'],
  ])('of %j is %j', (text, number) => expect(numberIn(text)).toBe(number));

  it('is null if there is no digit', () => expect(numberIn('none - at . all,')).toBeNull());

  it('is read from any text with a digit, and is unchanged when it is read again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const read = numberIn(text);
        expect(read === null).toBe(!/\d/.test(text));
        if (read === null) return;
        expect(numberIn(read)).toBe(read);
        expect(numberStated(read)).toBe(read);
      }),
      { numRuns: 5_000 },
    );
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(numberIn(value.toLocaleString('en'))).toBe(`${value}`);
      }),
    );
  });
});

describe('a short answer', () => {
  it.each(publishedWords)('%j is %j, as published', (answer, words) => expect(plainWords(answer)).toBe(words));

  it('is the same with composed or decomposed letters, but not with other letters', () => {
    expect(plainWords('Résumé'.normalize('NFD'))).toBe(plainWords('Résumé'));
    expect(plainWords('España')).not.toBe(plainWords('Españ'));
    expect(plainWords('1990–1994')).not.toBe(plainWords('19901994'));
    expect(plainWords('STRASSE')).not.toBe(plainWords('Straße'));
  });

  it('is unchanged when it is normalised again', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...'aAnthe-. \u0301\u037eéÉß') }),
        (one, other) => {
          for (const text of [one, other]) expect(plainWords(plainWords(text))).toBe(plainWords(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each(publishedShares)('%j shares with %j the published share of words: %d', (said, right, share) => {
    expect(sharedWords(said, right)).toBeCloseTo(share, 12);
  });

  it('has a share between 0 and 1, which is symmetric', () => {
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
