import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { referenceAnswers } from '../reference/manyAnswers.ts';
import { choose, majorityAtK, passAtK, type Votes } from './manyAnswers.ts';

it('two right of five, three drawn: one of them is right in 9 of the 10 ways', () => {
  const votes: Votes = { right: 2, wrong: [3], silent: 0 };
  expect(passAtK(votes, 3)).toBeCloseTo(0.9, 12); // 1 − C(3, 3) / C(5, 3)
  expect(passAtK(votes, 1)).toBeCloseTo(0.4, 12);
  // The right answer wins if two right answers and one wrong answer are drawn, which are C(2, 2) · C(3, 1) = 3 of 10
  // draws.
  expect(majorityAtK(votes, 3)).toBeCloseTo(0.3, 12);
});

it('a tie counts by its share, and silence has no vote', () => {
  // There are two answers, a right one and a wrong one. If both answers are drawn, the result is a tie.
  expect(majorityAtK({ right: 1, wrong: [1], silent: 0 }, 2)).toBeCloseTo(1 / 2, 12);
  expect(majorityAtK({ right: 1, wrong: [1, 1], silent: 0 }, 3)).toBeCloseTo(1 / 3, 12);
  // A single right answer is the majority if all other answers are missing.
  expect(majorityAtK({ right: 1, wrong: [], silent: 3 }, 4)).toBe(1);
  expect(majorityAtK({ right: 0, wrong: [], silent: 4 }, 4)).toBe(0);
  // Two of the four answers right (R), right (R), wrong (W) and silent (S) are drawn: RR wins (1 draw), RW is a tie (2
  // draws), RS wins (2 draws), and WS loses (1 draw). Hence (1 + 1 + 2) / 6.
  expect(majorityAtK({ right: 2, wrong: [1], silent: 1 }, 2)).toBeCloseTo(4 / 6, 12);
});

const answers = fc.array(fc.constantFrom('right', 'b', 'c', 'd', null), { minLength: 1, maxLength: 9 });
const votesOf = (given: (string | null)[]): Votes => {
  const countOf = (answer: string | null) => given.filter((other) => other === answer).length;
  return { right: countOf('right'), wrong: ['b', 'c', 'd'].map(countOf), silent: countOf(null) };
};

it('both are what looking at every set of k gives', () => {
  fc.assert(
    fc.property(answers, fc.nat(), (given, at) => {
      const k = 1 + (at % given.length);
      const { pass, majority } = referenceAnswers(given, k);
      expect(passAtK(votesOf(given), k)).toBeCloseTo(pass, 9);
      expect(majorityAtK(votesOf(given), k)).toBeCloseTo(majority, 9);
    }),
    { numRuns: 150 },
  );
});

const tallies = fc.record({
  right: fc.integer({ min: 0, max: 16 }),
  wrong: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 6 }),
  silent: fc.integer({ min: 0, max: 4 }),
});
const sizeOf = ({ right, wrong, silent }: Votes) => wrong.reduce((sum, count) => sum + count, right + silent);

it('one answer is a majority of one, more answers pass more often, and no majority beats having one', () => {
  fc.assert(
    fc.property(tallies, (votes) => {
      const n = sizeOf(votes);
      fc.pre(n > 0);
      expect(passAtK(votes, 1)).toBeCloseTo(votes.right / n, 12);
      expect(majorityAtK(votes, 1)).toBeCloseTo(votes.right / n, 12);
      let before = 0;
      for (let k = 1; k <= n; k++) {
        const pass = passAtK(votes, k);
        expect(pass).toBeGreaterThanOrEqual(before - 1e-12);
        expect(majorityAtK(votes, k)).toBeLessThanOrEqual(pass + 1e-12);
        before = pass;
      }
    }),
  );
});

it('the answers that share the top share one win', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }), fc.nat(), (counts, at) => {
      const n = counts.reduce((sum, count) => sum + count, 0);
      const k = 1 + (at % n);
      const wins = counts.map((right, i) => majorityAtK({ right, wrong: counts.toSpliced(i, 1), silent: 0 }, k));
      expect(wins.reduce((sum, win) => sum + win, 0)).toBeCloseTo(1, 9);
    }),
  );
});

it('counts ways', () => {
  expect([choose(16, 8), choose(5, 0), choose(3, 5)]).toEqual([12870, 1, 0]);
});

it('refuses k beyond the answers there are', () => {
  for (const k of [0, 1.5, 5]) expect(() => passAtK({ right: 2, wrong: [2], silent: 0 }, k)).toThrow(ShapeError);
  expect(() => majorityAtK({ right: 0, wrong: [], silent: 0 }, 1)).toThrow('from 1 to 0, the number of answers');
});
