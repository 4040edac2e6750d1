import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partingOf, type Parting } from './paidAndTrue.ts';

const partedAt = (rows: Parameters<typeof partingOf>[0]) => partingOf(rows)?.iteration ?? null;
const rowsOf = (values: { paid: number; right: number }[]) =>
  values.map(({ paid, right }, i) => ({
    iteration: i + 1,
    values: { 'charts/episodic_return': paid, 'charts/training_accuracy': right },
  }));
/** A small variation, so that the standard error of the mean is not 0. */
const wobble = (i: number) => (i % 2 === 0 ? 0.01 : -0.01);

describe('reward and accuracy', () => {
  it('diverge at the highest accuracy, if it has fallen since while the reward rose', () => {
    const rows = rowsOf(
      Array.from({ length: 40 }, (_, i) => ({
        paid: i / 40 + wobble(i),
        right: 0.5 - Math.abs(i - 9.5) / 40 + wobble(i),
      })),
    );
    const { iteration, paid, right } = partingOf(rows) as Parting;
    expect(iteration).toBe(10);
    // Iterations 6 to 15 have a mean reward of 9.5 / 40 and a mean accuracy of 2.5 / 40 below the maximum. The newest
    // ten have a mean reward of 34.5 / 40 and a mean accuracy of 25 / 40 below the maximum.
    expect([paid.before, right.before].map((x) => x.toFixed(4))).toEqual(['0.2375', '0.4375']);
    expect([paid.now, right.now].map((x) => x.toFixed(4))).toEqual(['0.8625', '-0.1250']);
    expect(partedAt(rows.slice(0, 19))).toBeNull();
  });

  it('do not diverge if both rise, both fall, or nothing changes beyond its error', () => {
    const of = (paid: (i: number) => number, right: (i: number) => number) =>
      partedAt(
        rowsOf(Array.from({ length: 40 }, (_, i) => ({ paid: paid(i) + wobble(i), right: right(i) + wobble(i) }))),
      );
    expect(
      of(
        (i) => i,
        (i) => i,
      ),
    ).toBeNull();
    expect(
      of(
        (i) => -i,
        (i) => -i,
      ),
    ).toBeNull();
    expect(
      of(
        () => 0.5,
        () => 0.5,
      ),
    ).toBeNull();
    expect(
      of(
        (i) => i,
        () => 0.5,
      ),
    ).toBeNull();
    expect(
      of(
        () => 0.5,
        (i) => 0.9 - i / 100,
      ),
    ).toBeNull();
    expect(
      of(
        (i) => i,
        (i) => -i,
      ),
    ).toBe(5);
  });

  it('diverge if half of the accuracy is lost and the reward stays the same', () => {
    const rows = rowsOf(
      Array.from({ length: 40 }, (_, i) => ({ paid: 0.5 + wobble(i), right: 0.6 - i / 60 + wobble(i) })),
    );
    expect(partedAt(rows)).toBe(5);
    // Iterations 1 to 10 have a mean accuracy of 0.525. The mean accuracy of the ten iterations that end at 26 is 0.26;
    // for those that end at 25, it is still 0.275.
    expect(partedAt(rows.slice(0, 26))).toBe(5);
    expect(partedAt(rows.slice(0, 25))).toBeNull();
    const fallen = rows.map(({ values, ...row }, i) => ({
      ...row,
      values: { ...values, 'charts/episodic_return': 0.5 - i / 60 + wobble(i) },
    }));
    expect(partedAt(fallen)).toBeNull();
  });

  it('never diverge if the reward is the accuracy', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(share, { maxLength: 60 }), (rights) => {
        expect(partedAt(rowsOf(rights.map((right) => ({ paid: right, right }))))).toBeNull();
      }),
    );
  });

  it('are not compared for runs that lack a measure', () => {
    expect(partedAt(Array.from({ length: 30 }, (_, i) => ({ iteration: i + 1, values: {} })))).toBeNull();
  });
});
