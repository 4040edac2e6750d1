import { describe, expect, it } from 'vitest';
import { learnerFacts, learnerNames } from '../../config/learners/registry.ts';
import { formulaTerms } from '../../records/formulaTerms.ts';
import { Language } from '../../state/visitor/language.svelte.ts';
import { findTerms, termOf } from './spoken.ts';
import { terms } from './terms.ts';
import { helpsOfWorlds } from '../../config/sections/world.ts';

describe('the glossary', () => {
  it('is in alphabetical order, with each word once and each meaning in one sentence', () => {
    const words = terms.map(({ word }) => word);
    expect(words).toEqual([...new Set(words)].sort((a, b) => a.localeCompare(b, 'en')));
    for (const { meaning, source } of terms) {
      expect(meaning).toMatch(/^[^.]+\.$/);
      expect(source).not.toBe('');
    }
  });

  it('contains every word that a formula’s term refers to', () => {
    const words = Object.values(formulaTerms).flatMap((term) => (term.word === undefined ? [] : [term.word]));
    expect(words.filter((word) => !terms.some((term) => term.word === word))).toEqual([]);
  });

  it('contains each learner, with the paper of its record', () => {
    const papers = learnerNames.map((name) => [learnerFacts[name].label, learnerFacts[name].paper]);
    expect(papers.map(([label]) => [label, terms.find(({ word }) => word === label)?.source])).toEqual(papers);
  });

  it('finds a term by a part of its word or meaning, in capitals or not', () => {
    expect(findTerms('rloo').map(({ word }) => word)).toEqual(['RLOO']);
    expect(findTerms('advantages are ALL 0').map(({ word }) => word)).toEqual(['Dead group']);
    expect(findTerms('  ')).toHaveLength(terms.length);
    expect(findTerms('zebra')).toEqual([]);
  });

  it('is German on a German page, in German order, and can also be searched in English', async () => {
    const language = new Language();
    await language.choose('de');
    const words = findTerms('').map(({ word }) => word);
    expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'de')));
    expect(findTerms('advantage').map(({ word }) => word)).toContain('Vorteil');
    expect(findTerms('vorteile alle 0').map(({ word }) => word)).toEqual(['Tote Gruppe']);
    expect(termOf('Clip')?.meaning).toContain('Aktualisierung');
    expect(helpsOfWorlds['world.level']?.()).toContain('Hausregel-Rechnen: 1: zwei Rechenschritte');
    await language.choose('en');
    expect(helpsOfWorlds['world.level']?.()).toContain('House-rule arithmetic: 1: two operations');
  });
});
