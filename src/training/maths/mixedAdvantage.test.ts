import { describe, expect, it } from 'vitest';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { groupAdvantage } from './advantage.ts';
import { mixedAdvantage } from './mixedAdvantage.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceMixed } from '../reference/credit.ts';

const compare = (rewards: ArrayLike<number>, keys: readonly string[]) =>
  groupAdvantage(rewards, keys, { std: false, lone: 'zero' });

describe('mixedAdvantage', () => {
  // One question has two rollouts of two steps. The outcomes are 1 and 0. The step rewards are 0.5 and 0.2 in the first
  // rollout, and 0.1 and 0.4 in the second.
  const rollouts = {
    outcome: [1, 0],
    outcomeKeys: ['q', 'q'],
    state: [0.5, 0.2, 0.1, 0.4],
    stateKeys: ['q/0', 'q/1', 'q/0', 'q/1'],
    rolloutOf: [0, 0, 1, 1],
  };

  it('weighs outcome against step by alpha, by hand', () => {
    const got = mixedAdvantage(rollouts, { alpha: 0.8, compare });
    const expected = [0.8 * 0.5 + 0.2 * 0.2, 0.8 * 0.5 - 0.2 * 0.1, -0.8 * 0.5 - 0.2 * 0.2, -0.8 * 0.5 + 0.2 * 0.1];
    expect(largestGap([Array.from(got)], [expected])).toBeLessThan(1e-12);
    expect(got[0]).toBeCloseTo(0.44, 9);
  });
  it('counts each rollout once, however many steps it took', () => {
    const uneven = { ...rollouts, stateKeys: ['q/0', 'q/1', 'q/2', 'q/0'], rolloutOf: [0, 0, 0, 1] };
    expect([...mixedAdvantage(uneven, { alpha: 1, compare })]).toEqual([0.5, 0.5, 0.5, -0.5]);
  });
  it('takes the comparison that it is given for both', () => {
    const divided = (rewards: ArrayLike<number>, keys: readonly string[]) =>
      groupAdvantage(rewards, keys, { std: true });
    const [first = 0] = mixedAdvantage(rollouts, { alpha: 0.5, compare: divided });
    expect(first).toBeCloseTo(Math.SQRT1_2, 4);
  });
  it('agrees with the means written out on 200 batches of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 22);
      const given = Array.from({ length: 1 + draws.below(9) }, (_, rollout) => {
        const [question, outcome] = [`question ${draws.below(3)}`, draws.below(2)];
        const steps = Array.from({ length: 1 + draws.below(4) }, (__, step) => ({
          ...{ rollout, outcome, question, state: draws.normal(), step: `${question}/${step}` },
        }));
        return { question, outcome, steps };
      });
      const entries = draws.shuffle(given.flatMap(({ steps }) => steps));
      const alpha = draws.next();
      const got = mixedAdvantage(
        {
          outcome: given.map(({ outcome }) => outcome),
          outcomeKeys: given.map(({ question }) => question),
          state: entries.map(({ state }) => state),
          stateKeys: entries.map(({ step }) => step),
          rolloutOf: entries.map(({ rollout }) => rollout),
        },
        { alpha, compare },
      );
      expect(largestGap([Array.from(got)], [referenceMixed(entries, alpha)]), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('refuses lists of two lengths, an unknown rollout and an alpha outside [0, 1]', () => {
    const alpha = 0.8;
    expect(() => mixedAdvantage({ ...rollouts, outcome: [1] }, { alpha, compare })).toThrow(ShapeError);
    expect(() => mixedAdvantage({ ...rollouts, state: [1] }, { alpha, compare })).toThrow(ShapeError);
    expect(() => mixedAdvantage({ ...rollouts, stateKeys: ['q/0'] }, { alpha, compare })).toThrow(ShapeError);
    expect(() => mixedAdvantage({ ...rollouts, rolloutOf: [0, 0, 1, 2] }, { alpha, compare })).toThrow(ShapeError);
    expect(() => mixedAdvantage(rollouts, { alpha: 1.2, compare })).toThrow(ConfigError);
  });
});
