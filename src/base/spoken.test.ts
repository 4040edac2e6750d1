import { afterEach, describe, expect, it } from 'vitest';
import { inTongue, isEnglish, speakIn, spoken } from './spoken.ts';

afterEach(() => speakIn(() => null));

describe('a sentence', () => {
  it('is the English of the code where nothing else is given, braces in its values untouched', () => {
    expect(isEnglish()).toBe(true);
    expect(spoken`level ${2} of ${'{0} {1}'}`).toBe('level 2 of {0} {1}');
    expect(inTongue('on')).toBe('on');
  });

  it('is said in the phrases that are given, whose gaps may stand in another order', () => {
    speakIn(() => ({ 'level {0} of {1}': '{1}, Stufe {0}' }));
    expect(isEnglish()).toBe(false);
    expect(spoken`level ${2} of ${'Algebra'}`).toBe('Algebra, Stufe 2');
    expect(spoken`no such phrase, ${1}`).toBe('no such phrase, 1');
    expect(inTongue('toString')).toBe('toString');
  });
});
