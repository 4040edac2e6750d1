import { describe, expect, it } from 'vitest';
import { formulaTerms } from '../../records/formula.ts';
import { findTerms, terms } from './terms.ts';

describe('the glossary', () => {
  it('is in the order of the alphabet, each word once, each meaning one sentence', () => {
    const words = terms.map(({ word }) => word);
    expect(words).toEqual([...new Set(words)].sort((a, b) => a.localeCompare(b, 'en')));
    for (const { meaning, source } of terms) {
      expect(meaning).toMatch(/^[^.]+\.$/);
      expect(source).not.toBe('');
    }
  });

  it('has every word that a formula’s term refers to', () => {
    const words = Object.values(formulaTerms).flatMap((term) => ('word' in term ? [term.word as string] : []));
    expect(words.filter((word) => !terms.some((term) => term.word === word))).toEqual([]);
  });

  it('finds a term by a part of its word or meaning, in capitals or not', () => {
    expect(findTerms('rloo').map(({ word }) => word)).toEqual(['RLOO']);
    expect(findTerms('no GRADIENT').map(({ word }) => word)).toEqual(['Dead group']);
    expect(findTerms('  ')).toHaveLength(terms.length);
    expect(findTerms('zebra')).toEqual([]);
  });
});
