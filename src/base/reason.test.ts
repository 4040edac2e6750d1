import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { asGiven, because, type Reason } from './reason.ts';
import { reasonInEnglish, reasonInWords, speakIn } from './spoken.ts';

/** Texts that look like placeholders, separators or replacement patterns, and other texts. */
const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('{0}', '{1} {0}', '; ', '$&', '$1', ' · ', ''));

describe('a reason', () => {
  it('is a list of templates with their values, given texts and numbers as text', () => {
    const reason: Reason = [...because`${6} was expected, but ${because`nothing`} was given`, ...asGiven('as told')];
    expect(reason).toEqual([
      { key: '{0} was expected, but {1} was given', values: ['6', { key: 'nothing', values: [] }] },
      'as told',
    ]);
    expect(asGiven('')).toEqual([]);
  });

  it('is in English exactly the text that its template makes of its values, whatever they are', () => {
    fc.assert(
      fc.property(texts, texts, fc.double(), (a, b, x) => {
        expect(reasonInEnglish(because`${a} was expected, but ${b} was given`)).toBe(
          `${a} was expected, but ${b} was given`,
        );
        expect(reasonInEnglish(because`${because`the team says ${a}`}, ${x}`)).toBe(`the team says ${a}, ${x}`);
        const joined = [...because`${a} is not a plan`, ...asGiven(b), ...because`not finished`];
        const written = [`${a} is not a plan`, ...(b === '' ? [] : [b]), 'not finished'].join('; ');
        expect(reasonInEnglish(joined)).toBe(written);
        expect(reasonInEnglish(because`${joined} at ${a}`)).toBe(`${written} at ${a}`);
      }),
    );
  });

  it('stays the same after it was stored as JSON', () => {
    fc.assert(
      fc.property(texts, fc.double(), (a, x) => {
        const reason = because`${a} and ${x} were named, not ${because`nothing`}`;
        expect(JSON.parse(JSON.stringify(reason))).toEqual(reason);
      }),
    );
  });

  describe('in the language of its reader', () => {
    afterAll(() => speakIn(() => null));

    it('is English where there is no other', () => {
      const reason = [...because`the planner finished with ${2} steps left to do`, ...asGiven('as told')];
      expect(reasonInWords(reason)).toBe(reasonInEnglish(reason));
    });

    it('is translated clause by clause, with values that have a translation and without given texts', () => {
      const german = { nothing: 'nichts', '{0} was expected, but {1} was given': 'erwartet war {0}, es kam {1}' };
      speakIn(() => german);
      const reason = [...because`${'nothing'} was expected, but ${because`nothing`} was given`, ...asGiven('nothing')];
      expect(reasonInWords(reason)).toBe('erwartet war nothing, es kam nichts; nothing');
      expect(reasonInEnglish(reason)).toBe('nothing was expected, but nothing was given; nothing');
      expect(reasonInWords(because`${'7; 8'} was expected, but ${'6'} was given`)).toBe('erwartet war 7; 8, es kam 6');
    });
  });
});
