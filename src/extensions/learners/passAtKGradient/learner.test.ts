// Compares the advantages of the learner for pass@k with numbers worked out by hand and with the reference formula.
import { expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { referenceBest } from '../../../training/reference/advantages.ts';
import { eachAction } from '../../../training/rows/rows.ts';
import { creditOfTrajectories } from '../../../training/testing/spoken.ts';
import { learner } from './learner.ts';

/** Returns the advantage of each dialogue, which all of its tokens share. Each problem has three dialogues. */
function advantagesOf(rewards: readonly number[], groupStd: boolean) {
  const { batch, credit } = creditOfTrajectories(learner, 'passAtKGradient', rewards, { groupStd });
  const found = rewards.map((): number[] => []);
  eachAction(batch, ({ at, trajectory }) => found[trajectory]?.push(credit.advantages[at] as number));
  for (const ofTokens of found) expect(new Set(ofTokens).size).toBe(1);
  return { advantages: found.map(([first]) => first as number), groups: credit.groups };
}

it('the best dialogue of a group learns by its lead, and of two equally good ones neither does', () => {
  const { advantages, groups } = advantagesOf([0.25, 1, 0.5, 1, 1, 0, 0, 0, 0], false);
  expect(advantages).toEqual([0, 0.5, 0, 0, 0, 0, 0, 0, 0]);
  // In two of three groups nothing is learned, although in one of them the rewards differ.
  expect(groups?.deadShare).toBeCloseTo(2 / 3, 12);
});

it('with a spread the lead is divided by it', () => {
  // The rewards 0, 0, 3 have the mean 1 and the unbiased variance (1 + 1 + 4) / 2 = 3.
  const { advantages } = advantagesOf([0, 0, 3], true);
  expect(advantages[2]).toBeCloseTo(3 / Math.sqrt(3), 5);
});

it('the advantages agree with the reference formula on 50 collections', () => {
  for (let seed = 0; seed < 50; seed++) {
    const draws = new Draws(seed, streams.control, 1);
    // Few values, so that several dialogues are often equally good.
    const rewards = Array.from({ length: 9 }, () => draws.below(4) / 4);
    const keys = rewards.map((_, i) => String(Math.floor(i / 3)));
    for (const groupStd of [true, false])
      advantagesOf(rewards, groupStd).advantages.forEach((got, i) =>
        expect(got).toBeCloseTo(referenceBest(rewards, keys, groupStd)[i] as number, 5),
      );
  }
});
