// Compares the advantages of OPO with numbers worked out by hand and with the reference formula.
import { expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { referenceLengthWeighted } from '../../../training/reference/advantages.ts';
import { eachAction } from '../../../training/rows/rows.ts';
import { creditOfTrajectories } from '../../../training/testing/spoken.ts';
import { learner } from './learner.ts';

/**
 * Returns the advantage of each dialogue, which all of its tokens share. Each problem has three dialogues, and a
 * dialogue has five tokens and `longer` more.
 */
function advantagesOf(rewards: readonly number[], longer: readonly number[]) {
  const { batch, credit } = creditOfTrajectories(learner, 'opo', rewards, { longer });
  const found = rewards.map((): number[] => []);
  eachAction(batch, ({ at, trajectory }) => found[trajectory]?.push(credit.advantages[at] as number));
  found.forEach((ofTokens, i) => {
    expect(ofTokens).toHaveLength(5 + (longer[i] ?? 0));
    expect(new Set(ofTokens).size).toBe(1);
  });
  return { advantages: found.map(([first]) => first as number), groups: credit.groups };
}

it('a reward counts in the mean of its group by its tokens, and equal rewards give 0', () => {
  // The mean of the first group is (5 · 0 + 5 · 0.5 + 10 · 1) / 20 = 0.625.
  const { advantages, groups } = advantagesOf([0, 0.5, 1, 0.25, 0.25, 0.25], [0, 0, 5, 0, 3, 1]);
  expect(advantages).toEqual([-0.625, -0.125, 0.375, 0, 0, 0]);
  expect(groups).toEqual({ deadShare: 0.5, loneMembers: 0 });
});

it('with equal lengths the mean is the plain mean of the group', () => {
  expect(advantagesOf([0, 0.5, 1], [2, 2, 2]).advantages).toEqual([-0.5, 0, 0.5]);
});

it('the advantages agree with the reference formula on 50 collections', () => {
  for (let seed = 0; seed < 50; seed++) {
    const draws = new Draws(seed, streams.control, 1);
    const rewards = Array.from({ length: 9 }, () => draws.next());
    const longer = rewards.map(() => draws.below(9));
    const keys = rewards.map((_, i) => String(Math.floor(i / 3)));
    const lengths = longer.map((more) => 5 + more);
    const expected = referenceLengthWeighted(rewards, keys, lengths);
    advantagesOf(rewards, longer).advantages.forEach((got, i) => expect(got).toBeCloseTo(expected[i] as number, 6));
  }
});
