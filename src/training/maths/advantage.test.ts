import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import {
  bestOfGroupAdvantage,
  deadGroups,
  gae,
  groupAdvantage,
  groupKey,
  looAdvantage,
  reinforcePlusPlus,
  tokenSequences,
  whiten,
  whitenByAgent,
  jointAdvantage,
  lengthWeightedAdvantage,
} from './advantage.ts';
import {
  referenceBest,
  referenceGroup,
  referenceLengthWeighted,
  referenceLoo,
  referenceReinforce,
  referenceWhiten,
} from '../reference/advantages.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceJoint } from '../reference/team.ts';

const close = (got: ArrayLike<number>, expected: readonly number[], digits = 6) => {
  expect(got.length).toBe(expected.length);
  expected.forEach((x, i) => expect(got[i]).toBeCloseTo(x, digits));
};
const draws = (seed: number) => new Draws(seed, streams.control, 1);
const list = <T = number>(length: number, of: () => T): T[] => Array.from({ length }, of);

describe('groupAdvantage', () => {
  it('gives the worked number of GRPO', () => {
    const got = groupAdvantage([1, 0, 0, 1], ['a', 'a', 'a', 'a'], { std: true });
    close(got, [0.866024, -0.866024, -0.866024, 0.866024]);
  });
  it('without std subtracts the mean only, group by group in any order', () => {
    close(groupAdvantage([1, 5, 0, 9], ['a', 'b', 'a', 'b'], { std: false }), [0.5, -2, -0.5, 2]);
  });
  it('of a lone member is its reward, or 0 where lone members carry nothing', () => {
    const keys = ['a', 'b', 'b'];
    close(groupAdvantage([3, 1, 0], keys, { std: true }).subarray(0, 1), [3]);
    close(groupAdvantage([3, 1, 0], keys, { std: false, lone: 'zero' }), [0, 0.5, -0.5]);
  });
  it('of equal rewards is 0 and finite', () => {
    close(groupAdvantage([0.1, 0.1, 0.1], ['a', 'a', 'a'], { std: true }), [0, 0, 0]);
  });
  it('refuses keys that do not fit the rewards', () => {
    expect(() => groupAdvantage([1, 2], ['a'], { std: true })).toThrow(ShapeError);
  });
});

describe('groupKey', () => {
  const kinds = ['problem', 'problem+agent', 'problem+agent+turn'] as const;
  it('never puts two prompts into one group', () => {
    const problems = [1, '1', '1,0', '1","0', 'a|b', 'a', 'b', 10, ''];
    for (const kind of kinds) {
      const keys = problems.flatMap((problem) => [0, 1].map((agent) => groupKey({ problem, agent, turn: 0 }, kind)));
      expect(new Set(keys).size).toBe(problems.length * (kind === 'problem' ? 1 : 2));
    }
    expect(groupKey({ problem: 1, agent: 12, turn: 3 }, kinds[2])).not.toBe(
      groupKey({ problem: 11, agent: 2, turn: 3 }, kinds[2]),
    );
  });
  it('separates agents and turns only when asked to', () => {
    const key = (turn: number, agent: number, kind: (typeof kinds)[number]) =>
      groupKey({ problem: 7, agent, turn }, kind);
    expect(key(0, 0, 'problem')).toBe(key(1, 1, 'problem'));
    expect(key(0, 0, 'problem+agent')).toBe(key(1, 0, 'problem+agent'));
    expect(key(0, 0, 'problem+agent+turn')).not.toBe(key(1, 0, 'problem+agent+turn'));
  });
  it('refuses to leave out a part that the kind needs', () => {
    expect(() => groupKey({ problem: 7 }, 'problem+agent')).toThrow(ShapeError);
  });
});

it('looAdvantage is the reward minus the mean of the others', () => {
  close(looAdvantage([1, 0, 0, 1], ['a', 'a', 'a', 'a']), [2 / 3, -2 / 3, -2 / 3, 2 / 3]);
  close(looAdvantage([4, 1, 2], ['b', 'a', 'a']), [4, -1, 1]);
  close(looAdvantage([4, 1, 2], ['b', 'a', 'a'], { lone: 'zero' }), [0, -1, 1]);
});

it('bestOfGroupAdvantage is the lead of the best over the second best, by hand', () => {
  const keys = ['a', 'a', 'a', 'b', 'b', 'c'];
  const rewards = [0.25, 1, 0.5, 2, 2, 3];
  close(bestOfGroupAdvantage(rewards, keys, { std: false }), [0, 0.5, 0, 0, 0, 3]);
  close(bestOfGroupAdvantage(rewards, keys, { std: false, lone: 'zero' }), [0, 0.5, 0, 0, 0, 0]);
  // 0, 0, 3 have the mean 1 and the unbiased variance (1 + 1 + 4) / 2 = 3.
  close(bestOfGroupAdvantage([0, 0, 3], ['a', 'a', 'a'], { std: true }), [0, 0, 3 / (Math.sqrt(3) + 1e-6)]);
});

it('lengthWeightedAdvantage subtracts a mean in which long answers count more', () => {
  // By hand: (1·10 + 0·30) / 40 = 0.25.
  close(lengthWeightedAdvantage([1, 0], ['a', 'a'], { lengths: [10, 30] }), [0.75, -0.25]);
  close(lengthWeightedAdvantage([4, 1, 1], ['b', 'a', 'a'], { lengths: [5, 1, 9] }), [4, 0, 0]);
  close(lengthWeightedAdvantage([4, 1, 2], ['b', 'a', 'a'], { lengths: [5, 1, 1], lone: 'zero' }), [0, -0.5, 0.5]);
  // Longer answers move the mean towards their own reward, so each group sums to 0 by tokens.
  const lengths = [3, 7, 11];
  const by = lengthWeightedAdvantage([0.2, 0.9, 0.4], ['a', 'a', 'a'], { lengths });
  expect(by.reduce((sum, advantage, i) => sum + advantage * (lengths[i] as number), 0)).toBeCloseTo(0, 12);
});

it('advantages of groups agree with the formulas written out on 200 batches, lone members and groups of equal rewards among them', () => {
  const seen = { lone: 0, equal: 0 };
  for (let seed = 0; seed < 200; seed++) {
    const d = draws(seed);
    const keys = list(1 + d.below(23), () => `k${d.below(1 + (seed % 6))}`);
    const rewards = keys.map(() => (seed % 2 ? d.normal() : d.below(2)));
    const { deadCount, loneCount } = deadGroups(rewards, keys);
    seen.lone += loneCount;
    seen.equal += deadCount;
    const got = [true, false].map((std) => Array.from(groupAdvantage(rewards, keys, { std })));
    const expected = [true, false].map((std) => referenceGroup(rewards, keys, std));
    got.push(Array.from(looAdvantage(rewards, keys)));
    expected.push(referenceLoo(rewards, keys));
    const lengths = keys.map(() => 1 + d.below(30));
    got.push(Array.from(bestOfGroupAdvantage(rewards, keys, { std: true })));
    expected.push(referenceBest(rewards, keys, true));
    got.push(Array.from(lengthWeightedAdvantage(rewards, keys, { lengths })));
    expected.push(referenceLengthWeighted(rewards, keys, lengths));
    expect(largestGap(got, expected), `seed ${seed}`).toBeLessThan(1e-9);
  }
  expect(Math.min(seen.lone, seen.equal)).toBeGreaterThan(20);
});

it('deadGroups counts groups of equal rewards and lone members apart', () => {
  const got = deadGroups([1, 1, 0, 1, 0.1 + 0.2, 0.3, 5], ['a', 'a', 'b', 'b', 'c', 'c', 'd']);
  expect(got).toEqual({ groupCount: 4, deadCount: 2, loneCount: 1, deadKeys: ['a', 'c'] });
});

describe('whiten', () => {
  it('agrees with the formula written out on 200 lists, empty masks and single numbers among them', () => {
    for (let seed = 0; seed < 200; seed++) {
      const d = draws(seed);
      const x = list(d.below(24), () => 3 * d.normal());
      const mask = x.map(() => (seed % 10 ? d.below(2) : 0));
      const got = Array.from(whiten(x, mask));
      expect(largestGap([got], [referenceWhiten(x, mask)]), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('of three numbers by hand, and of equal ones, is finite', () => {
    close(whiten([1, 2, 3, 99], [1, 1, 1, 0]), [-1, 0, 1, 0]);
    close(whiten([4, 4], [1, 1]), [0, 0]);
    close(whiten([4], [1]), [0]);
    close(whiten([4], [0]), [0]);
  });
  it('does not make much of what is little: the mean size of a solved batch shrinks with its spread', () => {
    // If all answers of a batch are right, the rewards differ only by a KL penalty of about 0.002 per token. The spread
    // of these rewards before whitening is tiny.
    for (const [spread, size] of [
      [0.05, 0.707],
      [0.005, 0.0997],
      [0.0005, 0.01],
    ] as const) {
      const x = Array.from({ length: 1000 }, (_, at) => 1 + 0.002 * spread * (at % 2 ? 1 : -1));
      const got = Array.from(whiten(x, new Uint8Array(x.length).fill(1)), Math.abs);
      expect(got.reduce((sum, value) => sum + value, 0) / got.length).toBeCloseTo(size, 3);
    }
  });
  it('of each agent by itself, by hand and as one agent after the other', () => {
    // The batch has three rows: the first and the last belong to agent 0, the second belongs to agent 1.
    const by = { mask: [1, 0, 0, 1, 1, 1], agentIds: [0, 1, 0] };
    const { values, centre, spread } = whitenByAgent([1, 2, 9, 40, 3, 2], by);
    close(values, [-1, 0, 0, 0, 1, 0]);
    close(centre, [2, 2, 40, 40, 2, 2]);
    close(spread, [1, 1, 0, 0, 1, 1]);
    const d = draws(5);
    const agentIds = list(6, () => d.below(3));
    const [x, mask] = [list(24, () => d.normal()), list(24, () => d.below(2))];
    for (const agent of [0, 1, 2]) {
      const own = mask.map((on, at) => (agentIds[Math.floor(at / 4)] === agent ? on : 0));
      const got = whitenByAgent(x, { mask, agentIds }).values;
      expect(largestGap([own.map((on, at) => on * (got[at] as number))], [referenceWhiten(x, own)])).toBeLessThan(1e-9);
    }
  });
});

describe('reinforcePlusPlus', () => {
  it('whitens the discounted returns to go over all action tokens', () => {
    const got = reinforcePlusPlus([[0, 1], [2]], { gamma: 0.5 });
    // The returns are 0.5, 1 and 2. Their mean is 7/6, and their standard deviation is √(7/12).
    const spread = Math.sqrt(7 / 12);
    close(got[0] as Float64Array, [(0.5 - 7 / 6) / spread, (1 - 7 / 6) / spread]);
    close(got[1] as Float64Array, [(2 - 7 / 6) / spread]);
  });
  it('agrees with the formula written out on 200 batches of rows of unequal length', () => {
    for (let seed = 0; seed < 200; seed++) {
      const d = draws(seed);
      const rewards = list(1 + d.below(5), () => list(d.below(8), () => d.normal()));
      const gamma = d.next();
      const got = reinforcePlusPlus(rewards, { gamma }).map((row) => Array.from(row));
      expect(largestGap(got, referenceReinforce(rewards, gamma)), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
});

describe('gae', () => {
  it('gives the worked numbers of a terminal sequence', () => {
    close(gae([0, 0, 1], [0.2, 0.4, 0.5], { gamma: 0.99, lambda: 0.95 }), [0.727618, 0.56525, 0.5]);
  });
  it('bootstraps an interrupted rollout with the value that follows', () => {
    // δ₁ = 0 + 0.9·2 − 1 = 0.8; δ₀ = 1 + 0.9·1 − 0.5 = 1.4.
    close(gae([1, 0], [0.5, 1], { gamma: 0.9, lambda: 0.5, bootstrap: 2 }), [1.4 + 0.45 * 0.8, 0.8]);
  });
  it('agrees with the sum of discounted errors written out', () => {
    for (let seed = 0; seed < 200; seed++) {
      const d = draws(seed);
      const n = d.below(12);
      const [rewards, values] = [list(n, () => d.normal()), list(n, () => d.normal())];
      const [gamma, lambda, bootstrap] = [d.next(), d.next(), seed % 2 ? d.normal() : 0];
      const delta = (t: number) =>
        (rewards[t] as number) + gamma * (t + 1 < n ? (values[t + 1] as number) : bootstrap) - (values[t] as number);
      const expected = rewards.map((_, t) =>
        rewards.slice(t).reduce((sum, _r, later) => sum + (gamma * lambda) ** later * delta(t + later), 0),
      );
      close(gae(rewards, values, { gamma, lambda, bootstrap }), expected, 9);
    }
  });
  it('refuses values that include the bootstrap value', () => {
    expect(() => gae([1], [1, 2], { gamma: 1, lambda: 1 })).toThrow(/bootstrap value included/);
  });
});

it('tokenSequences follow one agent through its turns, across rows', () => {
  // In trajectory 4, agent 0 has two rows (0 and 2), because its view was rewritten, and agent 1 has row 1.
  const batch = {
    actionMask: [0, 1, 1, 1, 0, 1, 1, 0, 1],
    turnIds: [-1, 2, 2, 1, -1, 3, 0, -1, 0],
    trajectoryIds: [4, 4, 4],
    agentIds: [0, 1, 0],
  };
  expect(tokenSequences(batch, 3)).toEqual([
    [6, 8, 1, 2],
    [3, 5],
  ]);
});

const shared = (r: number) => [r, r];

describe('jointAdvantage', () => {
  it('gives the worked numbers of GAE over the turns of two agents', () => {
    const rewards = [0, 0, 1].map(shared);
    const { advantages, returns } = jointAdvantage(
      { rewards, values: [0.2, 0.4, 0.5] },
      { gammaTurn: 0.99, lambdaTurn: 0.95 },
    );
    const expected = [0.727618, 0.56525, 0.5];
    expect(largestGap([Array.from(advantages)], [expected])).toBeLessThan(1e-6);
    expect(returns[0]).toBeCloseTo(0.927618, 6);
  });
  it('treats what is said at once as one step, by hand', () => {
    // Two debaters speak simultaneously in the first step, and a judge speaks in the second. The rewards of the two
    // steps are 0.2 + 0.4 and 1, and their values are 0.3 (a mean) and 0.5.
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
  it('agrees with the errors written out on 200 dialogues of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 28);
      const agents = 1 + draws.below(4);
      const sizes = Array.from({ length: draws.below(7) }, () => 1 + draws.below(3));
      const sets = sizes.flatMap((size, set) => Array.from({ length: size }, () => set * 2));
      const rewards = sets.map(() => Array.from({ length: agents }, () => draws.normal()));
      const values = sets.map(() => draws.normal());
      const [gamma, lambda] = [draws.next(), draws.next()];
      const got = jointAdvantage({ rewards, values, sets }, { gammaTurn: gamma, lambdaTurn: lambda });
      const steps = sizes.map((size, set) => {
        const turns = sets.map((_, turn) => turn).filter((turn) => sets[turn] === set * 2);
        const total = turns.flatMap((turn) => rewards[turn] as number[]).reduce((a, b) => a + b, 0);
        return { reward: total / agents, value: turns.reduce((a, turn) => a + (values[turn] as number), 0) / size };
      });
      const ofStep = referenceJoint(steps, { gamma, lambda });
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
