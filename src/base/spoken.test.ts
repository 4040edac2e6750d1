import { afterEach, describe, expect, it } from 'vitest';
import { inTongue, inWords, isEnglish, speakIn, spoken, told, toldInRow } from './spoken.ts';

afterEach(() => speakIn(() => null));

describe('a sentence', () => {
  it('is the English of the code by default, with braces in its values unchanged', () => {
    expect(isEnglish()).toBe(true);
    expect(spoken`level ${2} of ${'{0} {1}'}`).toBe('level 2 of {0} {1}');
    expect(inTongue('on')).toBe('on');
  });

  it('uses the given phrases, whose placeholders may have another order', () => {
    speakIn(() => ({ 'level {0} of {1}': '{1}, Stufe {0}' }));
    expect(isEnglish()).toBe(false);
    expect(spoken`level ${2} of ${'Algebra'}`).toBe('Algebra, Stufe 2');
    expect(spoken`no such phrase, ${1}`).toBe('no such phrase, 1');
    expect(inTongue('toString')).toBe('toString');
  });

  it('can be shown in another language later, with all its parts', () => {
    speakIn(() => ({ '{0} was slow, so {1}': '{1}, da {0} langsam war', 'the {0} trains': '{0} trainiert' }));
    const sentence = told`${'Acme {0}'} was slow, so ${told`the ${'CPU'} trains`}`;
    const twice = structuredClone(toldInRow([sentence, told`No, ${2}`], '; '));
    expect(inWords(twice)).toBe('CPU trainiert, da Acme {0} langsam war; No, 2');
    speakIn(() => null);
    expect(inWords(twice)).toBe('Acme {0} was slow, so the CPU trains; No, 2');
    expect(inWords('as it is {0}')).toBe('as it is {0}');
  });
});
