import { describe, expect, it } from 'vitest';
import { termNames, type FormulaLine } from '../../records/formula.ts';
import { formulaTerms } from '../../records/formulaTerms.ts';
import { terms } from '../glossary/terms.ts';
import { figures, fillLine, termsOf } from './filledFormula.ts';

const grpo: FormulaLine = {
  title: 'Advantage',
  left: 'advantage',
  right: ['(', { term: 'reward' }, ' − ', { term: 'groupMean' }, ') / (', { term: 'groupSpread' }, ' + 10⁻⁶)'],
};
const values = { advantage: 1.16, reward: 1, groupMean: 0.42, groupSpread: 0.5 };

describe('a filled-in formula', () => {
  it('is given in symbols, in numbers and in words', () => {
    expect(fillLine(grpo, values, 0)).toEqual({
      title: 'Advantage',
      symbols: 'A = (R − μ) / (σ + 10⁻⁶)',
      numbers: '(1 − 0.42) / (0.5 + 10⁻⁶)',
      result: '1.16',
      spoken: 'advantage = (reward − mean of the group) / (spread of the group + 10⁻⁶) = 1.16',
      note: '',
    });
  });

  it('has brackets around a negative number after an operator', () => {
    expect(fillLine(grpo, { ...values, groupMean: -0.42 }, 0).numbers).toBe('(1 − (−0.42)) / (0.5 + 10⁻⁶)');
    expect(fillLine(grpo, { ...values, reward: -1 }, 0).numbers).toBe('(−1 − 0.42) / (0.5 + 10⁻⁶)');
  });

  it('states why it has no numbers if its group has only one member', () => {
    const { numbers, note, result } = fillLine(grpo, { ...values, groupMean: Number.NaN }, 0);
    expect([numbers, result]).toEqual(['', '1.16']);
    expect(note).toMatch(/the group has only one member/);
  });

  it('marks the side that counts', () => {
    const line = (left: 'unclipped' | 'clipped' | 'loss'): FormulaLine => ({ title: '', left, right: [] });
    const marks = ([0, 1, 2] as const).map((won) =>
      (['unclipped', 'clipped', 'loss'] as const).map((left) => fillLine(line(left), {}, won).note),
    );
    expect(marks).toEqual([
      ['counts', '', ''],
      ['', 'counts', ''],
      ['', '', 'bounded by the dual clip'],
    ]);
  });

  it('writes three significant digits', () => {
    const written = [0, 1, 0.8, 1.15999, -0.25, 0.003_333, 0.0421, 12.34, 312, 0.000_123, Infinity].map(figures);
    expect(written).toEqual([
      ...['0', '1', '0.8', '1.16', '−0.25', '0.00333', '0.0421', '12.3', '312', '1.2 × 10⁻⁴', '∞'],
    ]);
    expect(figures(undefined)).toBe('–');
  });

  it('names each of its terms once', () => {
    const formula = { learner: 'grpo', lines: [grpo, grpo], constants: {} } as const;
    expect(termsOf({ ...formula, lines: [...formula.lines] })).toEqual(
      'advantage reward groupMean groupSpread'.split(' '),
    );
  });
});

describe('the terms of formulas', () => {
  it('point to words that the glossary has', () => {
    const words = terms.map(({ word }) => word);
    for (const name of termNames) {
      const { help, ...term } = formulaTerms[name];
      expect(help).toMatch(/\.$/);
      if (term.word !== undefined) expect(words, name).toContain(term.word);
    }
  });
});
