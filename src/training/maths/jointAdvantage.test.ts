import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { jointAdvantage } from './advantage.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceJoint } from '../reference/team.ts';

const shared = (r: number) => [r, r];

describe('jointAdvantage', () => {
  it('gives the worked numbers of GAE over the turns of two agents', () => {
    const rewards = [0, 0, 1].map(shared);
    const { advantages, returns } = jointAdvantage({ rewards, values: [0.2, 0.4, 0.5] }, { gammaTurn: 0.99, lambdaTurn: 0.95 }); // prettier-ignore
    const expected = [0.727618, 0.56525, 0.5];
    expect(largestGap([Array.from(advantages)], [expected])).toBeLessThan(1e-6);
    expect(returns[0]).toBeCloseTo(0.927618, 6);
  });
  it('takes a turn’s reward as the mean over agents', () => {
    const options = { gammaTurn: 1, lambdaTurn: 1 };
    const own = jointAdvantage({ rewards: [[1, 0], [0, 0.5]], values: [0, 0] }, options); // prettier-ignore
    expect(Array.from(own.advantages)).toEqual([0.75, 0.25]);
  });
  it('treats what is said at once as one step, by hand', () => {
    // Two debaters at once, then a judge: step rewards 0.2 + 0.4 and 1, values 0.3 (mean) and 0.5.
    const rewards = [shared(0.2), shared(0.4), shared(1)];
    const { advantages, returns } = jointAdvantage(
      { rewards, values: [0.2, 0.4, 0.5], sets: [0, 0, 1] },
      { gammaTurn: 0.9, lambdaTurn: 0.5 },
    );
    const last = 0.5;
    const first = 0.6 + 0.9 * 0.5 - 0.3 + 0.45 * last;
    expect(largestGap([Array.from(advantages)], [[first, first, last]])).toBeLessThan(1e-12);
    expect(largestGap([Array.from(returns)], [[first + 0.3, first + 0.3, 1]])).toBeLessThan(1e-12);
  });
  it('with a perfect critic is 0 for every speaker', () => {
    const rewards = [0.1, 0.2, 0.3, 0.4].map(shared);
    const values = [1, 0.9, 0.7, 0.4];
    const { advantages } = jointAdvantage({ rewards, values }, { gammaTurn: 1, lambdaTurn: 0.8 });
    for (const advantage of advantages) expect(advantage).toBeCloseTo(0, 12);
  });
  it('agrees with the errors written out on 200 dialogues of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 28);
      const agents = 1 + draws.below(4);
      const sizes = Array.from({ length: draws.below(7) }, () => 1 + draws.below(3));
      const sets = sizes.flatMap((size, set) => Array.from({ length: size }, () => set * 2));
      const rewards = sets.map(() => Array.from({ length: agents }, () => draws.normal()));
      const values = sets.map(() => draws.normal());
      const [gamma, lambda, bootstrap] = [draws.next(), draws.next(), draws.below(2) * draws.normal()];
      const got = jointAdvantage({ rewards, values, sets }, { gammaTurn: gamma, lambdaTurn: lambda, bootstrap });
      const steps = sizes.map((size, set) => {
        const turns = sets.map((_, turn) => turn).filter((turn) => sets[turn] === set * 2);
        const total = turns.flatMap((turn) => rewards[turn] as number[]).reduce((a, b) => a + b, 0);
        return { reward: total / agents, value: turns.reduce((a, turn) => a + (values[turn] as number), 0) / size };
      });
      const ofStep = referenceJoint(steps, { gamma, lambda, bootstrap });
      sets.forEach((set, turn) => {
        expect(got.advantages[turn], `seed ${seed}`).toBeCloseTo(ofStep[set / 2] as number, 9);
        expect(got.returns[turn]).toBeCloseTo((ofStep[set / 2] as number) + (steps[set / 2]?.value as number), 9);
      });
    }
  });
  it('refuses values that include the bootstrap value, and sets out of order', () => {
    const options = { gammaTurn: 1, lambdaTurn: 1 };
    expect(() => jointAdvantage({ rewards: [[1]], values: [0, 0] }, options)).toThrow(/bootstrap value included/);
    expect(() => jointAdvantage({ rewards: [[1], [1]], values: [0, 0], sets: [1, 0] }, options)).toThrow(ShapeError);
  });
});
