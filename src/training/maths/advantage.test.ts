import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { mean, std } from '../../base/stats.ts';
import { deadGroups, gae, groupAdvantage, groupKey } from './advantage.ts';
import { looAdvantage, reinforcePlusPlus, tokenSequences, whiten } from './advantage.ts';
import { referenceGroup, referenceLoo, referenceReinforce, referenceWhiten } from '../reference/advantages.ts';
import { largestGap } from '../reference/batches.ts';

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
  it('of groups of two or more sums to 0 in each group', () => {
    for (let seed = 0; seed < 50; seed++) {
      const d = draws(seed);
      const keys = list(2 + d.below(30), () => d.below(4)).map(String);
      const rewards = keys.map(() => d.below(3) + 0.1 * d.below(3));
      for (const std of [true, false]) {
        const got = groupAdvantage(rewards, keys, { std });
        for (const key of new Set(keys)) {
          const own = Array.from(got).filter((_, i) => keys[i] === key);
          if (own.length > 1) expect(own.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
        }
      }
    }
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

describe('looAdvantage', () => {
  it('is the reward minus the mean of the others', () => {
    close(looAdvantage([1, 0, 0, 1], ['a', 'a', 'a', 'a']), [2 / 3, -2 / 3, -2 / 3, 2 / 3]);
    close(looAdvantage([4, 1, 2], ['b', 'a', 'a']), [4, -1, 1]);
    close(looAdvantage([4, 1, 2], ['b', 'a', 'a'], { lone: 'zero' }), [0, -1, 1]);
  });
  it('is G/(G−1) times the advantage without std', () => {
    for (let seed = 0; seed < 20; seed++) {
      const d = draws(seed);
      const size = 2 + d.below(8);
      const rewards = list(size, () => d.normal());
      const keys = rewards.map(() => 'g');
      const plain = groupAdvantage(rewards, keys, { std: false });
      close(
        looAdvantage(rewards, keys),
        Array.from(plain, (a) => (a * size) / (size - 1)),
        9,
      );
    }
  });
});

describe('advantages of groups', () => {
  it('agree with the formulas written out on 200 batches, lone members and groups of equal rewards among them', () => {
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
      expect(largestGap(got, expected), `seed ${seed}`).toBeLessThan(1e-9);
    }
    expect(Math.min(seen.lone, seen.equal)).toBeGreaterThan(20);
  });
});

describe('deadGroups', () => {
  it('counts groups of equal rewards and lone members apart', () => {
    const got = deadGroups([1, 1, 0, 1, 0.1 + 0.2, 0.3, 5], ['a', 'a', 'b', 'b', 'c', 'c', 'd']);
    expect(got).toEqual({ groupCount: 4, deadCount: 2, loneCount: 1, deadKeys: ['a', 'c'], loneKeys: ['d'] });
  });
});

describe('whiten', () => {
  it('gives mean 0 and unbiased std 1 over the mask and 0 elsewhere', () => {
    for (let seed = 0; seed < 30; seed++) {
      const d = draws(seed);
      const x = list(5 + d.below(40), () => 7 + 3 * d.normal());
      const mask = x.map((_, i) => (i < 3 ? 1 : d.below(2)));
      const got = Array.from(whiten(x, mask));
      const own = got.filter((_, i) => mask[i]);
      expect(mean(own)).toBeCloseTo(0, 9);
      expect(std(own)).toBeCloseTo(1, 6);
      expect(got.every((value, i) => mask[i] === 1 || value === 0)).toBe(true);
    }
  });
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
});

describe('reinforcePlusPlus', () => {
  it('whitens the discounted returns to go over all action tokens', () => {
    const got = reinforcePlusPlus(
      [
        [0, 0, 1],
        [0, 0, 2],
      ],
      [
        [1, 0, 1],
        [0, 0, 1],
      ],
      { gamma: 0.5 },
    );
    // Returns 0.5, 1 and 2 (the masked token is passed over): mean 7/6, std √(7/12).
    const spread = Math.sqrt(7 / 12);
    close(got[0] as Float64Array, [(0.5 - 7 / 6) / spread, 0, (1 - 7 / 6) / spread]);
    close(got[1] as Float64Array, [0, 0, (2 - 7 / 6) / spread]);
  });
  it('agrees with the formula written out on 200 batches of rows of unequal length', () => {
    for (let seed = 0; seed < 200; seed++) {
      const d = draws(seed);
      const mask = list(1 + d.below(5), () => list(d.below(8), () => d.below(2)));
      const rewards = mask.map((row) => row.map((is) => (is ? d.normal() : 0)));
      const gamma = d.next();
      const got = reinforcePlusPlus(rewards, mask, { gamma }).map((row) => Array.from(row));
      expect(largestGap(got, referenceReinforce(rewards, mask, gamma)), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('refuses a reward on a masked token', () => {
    expect(() => reinforcePlusPlus([[1, 0]], [[0, 1]], { gamma: 1 })).toThrow(/masked token 0/);
    expect(() => reinforcePlusPlus([[1, 0]], [[1]], { gamma: 1 })).toThrow(ShapeError);
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
  it('with λ = 1 is the return minus the value, with λ = 0 the one-step error', () => {
    close(gae([1, 2, 3], [0.1, 0.2, 0.3], { gamma: 1, lambda: 1 }), [5.9, 4.8, 2.7]);
    close(gae([1, 2, 3], [0.1, 0.2, 0.3], { gamma: 1, lambda: 0 }), [1.1, 2.1, 2.7]);
  });
  it('refuses values that include the bootstrap value', () => {
    expect(() => gae([1], [1, 2], { gamma: 1, lambda: 1 })).toThrow(/bootstrap value included/);
  });
});

describe('tokenSequences', () => {
  // Trajectory 4: agent 0 in rows 0 and 2 (its view was rewritten), agent 1 in row 1.
  const batch = {
    actionMask: [0, 1, 1, 1, 0, 1, 1, 0, 1],
    turnIds: [-1, 2, 2, 1, -1, 3, 0, -1, 0],
    trajectoryIds: [4, 4, 4],
    agentIds: [0, 1, 0],
  };
  it('follow one agent through its turns, across rows', () => {
    expect(tokenSequences(batch, 3)).toEqual([
      [6, 8, 1, 2],
      [3, 5],
    ]);
  });
  it("let the next value be that of the agent's next own token", () => {
    const values = [9, 3, 4, 9, 9, 9, 1, 9, 2];
    const [own] = tokenSequences(batch, 3) as [number[], number[]];
    const got = gae(
      own.map(() => 0),
      own.map((at) => values[at] as number),
      { gamma: 1, lambda: 0 },
    );
    close(got, [2 - 1, 3 - 2, 4 - 3, -4]);
  });
});
