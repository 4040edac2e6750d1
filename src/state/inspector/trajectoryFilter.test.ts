import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asGiven, because } from '../../base/reason.ts';
import type { TrajectoryRow } from '../../records/trajectoryRow.ts';
import { Language } from '../visitor/language.svelte.ts';
import { answerKinds, trajectoryOrders, filteredTrajectories, flagKinds, noFilter } from './trajectoryFilter.ts';

const rows: fc.Arbitrary<TrajectoryRow> = fc.record({
  iteration: fc.integer({ min: 1, max: 9 }),
  index: fc.integer({ min: 0, max: 9 }),
  group: fc.integer({ min: 0, max: 3 }),
  world: fc.constantFrom('houseRule', 'grid'),
  slice: fc.constantFrom('a', 'b'),
  reward: fc.constantFrom(0, 0.5, 1),
  isRight: fc.boolean(),
  finishCode: fc.constantFrom(0, 1, 2, 3),
  isBranch: fc.boolean(),
  isTruncated: fc.boolean(),
  clipped: fc.option(fc.integer({ min: 0, max: 4 })),
  tokens: fc.integer({ min: 1, max: 40 }),
  shown: fc.constantFrom('3-3+4', '7*2'),
  said: fc.constantFrom('3-3 · 0', 'Go north', ''),
  answer: fc.constantFrom('4', null),
  reasons: fc.constantFrom([], [asGiven('Left to right gives 7.')]),
});
const filters = fc.record({
  text: fc.constantFrom('', '3-3', 'north', 'gives 7', 'nothing such'),
  world: fc.constantFrom('', 'grid'),
  slice: fc.constantFrom('', 'a'),
  answer: fc.constantFrom('' as const, ...answerKinds),
  ending: fc.constantFrom('' as const, 0 as const, 2 as const),
  flag: fc.constantFrom('' as const, ...flagKinds),
  order: fc.constantFrom(...trajectoryOrders),
});

describe('a filter of dialogues', () => {
  it('that asks for nothing leaves all as they come', () => {
    fc.assert(fc.property(fc.array(rows), (all) => void expect(filteredTrajectories(all, noFilter)).toEqual(all)));
  });

  it('leaves what each of its fields leaves, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(rows), filters, (all, filter) => {
        const found = filteredTrajectories(all, filter);
        const { order, ...fields } = filter;
        const alone = Object.entries(fields).map(([name, value]) =>
          filteredTrajectories(all, { ...noFilter, [name]: value }),
        );
        const expected = all.filter((row) => alone.every((left) => left.includes(row)));
        expect(new Set(found)).toEqual(new Set(expected));
        expect(found).toHaveLength(expected.length);
        if (order === 'best')
          expect(found.map(({ reward }) => reward)).toEqual(found.map(({ reward }) => reward).sort((a, b) => b - a));
      }),
    );
  });

  it('finds words as the page writes them, in what was asked, said, answered or found fault with', () => {
    const [row] = fc.sample(rows, { numRuns: 1, seed: 2 }) as [TrajectoryRow];
    const one = { ...row, shown: '3-3*4', said: 'plan · 0', answer: '4', reasons: [asGiven('Right to left gives 1.')] };
    const finds = (text: string) => filteredTrajectories([one], { ...noFilter, text }).length === 1;
    for (const text of ['3 3', '3−3×4', 'PLAN', 'right left', '  ']) expect([text, finds(text)]).toEqual([text, true]);
    expect(finds('plan 9')).toBe(false);
  });

  it('finds reasons in the language of the page', async () => {
    const [row] = fc.sample(rows, { numRuns: 1, seed: 2 }) as [TrajectoryRow];
    const many = Array.from({ length: 20 }, (_, i) => ({
      ...row,
      reasons: [because`${i} was expected, but ${6} was given`],
    }));
    const language = new Language();
    const found = (text: string) => filteredTrajectories(many, { ...noFilter, text }).length;
    expect(found('erwartet war 19')).toBe(0);
    await language.choose('de');
    expect([found('erwartet war 19'), found('was expected 19')]).toEqual([1, 1]);
    await language.choose('en');
  });
});
