// Tests the rewards of debates in which agents are rewarded for their effect on others. The expected values were
// computed by hand.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import { agentId } from '../../records/ids.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { answersByRound, scoresByRound } from './creditPay.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceInfluenceAware, referenceInfluenceBonus, referenceInfluenceGain } from '../reference/credit.ts';
import { payTrajectory } from './rewards.ts';
import { trajectoryOf } from '../testing/spoken.ts';

/**
 * A debate with these scores [round][agent]: 1 means a right answer, and null means no answer. For each agent, only the
 * newest answer earns `rightAnswer`, if it is right.
 */
function debateOf(scores: (number | null)[][], given: Partial<Trajectory> = {}): Trajectory {
  const said = scores.flatMap((row, round) =>
    row.flatMap((score, agent) => (score === null ? [] : [{ round, agent, score }])),
  );
  const trajectory = trajectoryOf(
    said.map(({ agent }) => ({ agent, tokens: [11 + agent, 2] })),
    { prompts: (scores[0] ?? []).map(() => [1, 10, 2]), ...given },
  );
  const newest = new Map(said.map(({ agent }, t) => [agent, t]));
  trajectory.turns.forEach((turn, t) => {
    const { round, agent, score } = said[t] as (typeof said)[number];
    const first = said.findIndex((other) => other.round === round);
    const isRight = score === 1;
    Object.assign(turn, { round, agent: agentId(agent), score, isRight, ...(first < t && { set: first }) });
    if (newest.get(agent) === t) turn.parts.rightAnswer = isRight ? 1 : 0;
  });
  return trajectory;
}

function configOf(reward: Partial<Config['reward']>, more: ConfigInput = {}): Config {
  const config = parseConfig(more);
  Object.assign(config.reward, { across: 'own', over: 'dense' }, reward);
  return config;
}

/** Rewards [round][agent]. Checks that all rewards of agents other than the speaker are 0. */
function pay(trajectory: Trajectory, config: Config): number[][] {
  const paid = payTrajectory(trajectory, Array<number>(trajectory.turns.length + 1).fill(0), config);
  paid.forEach((row, t) => {
    const speaker = trajectory.turns[t]?.agent as number;
    expect(trajectory.turns[t]?.reward).toBe(row[speaker]);
    row.forEach((r, agent) => agent !== speaker && expect(r).toBe(0));
  });
  const rows = answersByRound(trajectory);
  return rows.map((row) => row.map((turn) => (turn ? (paid[turn.index]?.[turn.agent] as number) : 0)));
}

const close = (got: number[][], expected: number[][]) =>
  expect(got).toEqual(expected.map((row) => row.map((r) => expect.closeTo(r, 12))));

// Two agents in three rounds: wrong and half right, then right and wrong, then both right.
const two = () =>
  debateOf([
    [0, 0.5],
    [1, 0.25],
    [1, 1],
  ]);
// Three agents, two rounds.
const three = () =>
  debateOf([
    [1, 0, 0.75],
    [1, 1, 0],
  ]);

describe('influence-aware reward of a debate', () => {
  it('discounted: the own score and later means of all, 2 agents and 3 rounds', () => {
    const table = [
      [(0 + 0.3 * 0.625 + 0.09 * 1) / 1.39, (0.5 + 0.3 * 0.625 + 0.09 * 1) / 1.39],
      [(1 + 0.3 * 1) / 1.3, (0.25 + 0.3 * 1) / 1.3],
      [1, 1],
    ];
    close(pay(two(), configOf({ influence: 'discounted' })), table);
    expect(table[0]?.[0]).toBeCloseTo(0.19964, 6);
  });

  it('discounted with own scores, another discount, and a weight of the answer', () => {
    const config = configOf({ influence: 'discounted', influenceShare: 'own', influenceGamma: 0.5, rightAnswer: 2 });
    close(pay(two(), config), [
      [(2 * (0 + 0.5 * 1 + 0.25 * 1)) / 1.75, (2 * (0.5 + 0.5 * 0.25 + 0.25 * 1)) / 1.75],
      [2, (2 * (0.25 + 0.5)) / 1.5],
      [2, 2],
    ]);
  });

  it('of the last and of the current round, for one and for all, 3 agents and 2 rounds', () => {
    const of = (influence: 'last' | 'current', influenceShare: 'own' | 'all') =>
      pay(three(), configOf({ influence, influenceShare }));
    close(of('last', 'own'), [
      [1, 1, 0],
      [1, 1, 0],
    ]);
    close(of('last', 'all'), [Array<number>(3).fill(2 / 3), Array<number>(3).fill(2 / 3)]);
    close(of('current', 'own'), [
      [1, 0, 0.75],
      [1, 1, 0],
    ]);
    close(of('current', 'all'), [Array<number>(3).fill(1.75 / 3), Array<number>(3).fill(2 / 3)]);
  });

  it('keeps the other components with their turns and drops that of the right answer', () => {
    const trajectory = three();
    (trajectory.turns[0] as Trajectory['turns'][number]).parts['rewrite'] = 1;
    (trajectory.turns[5] as Trajectory['turns'][number]).parts['finished'] = 1;
    const own = { influence: 'current', influenceShare: 'own', finished: 0.25 } as const;
    const config = configOf(own, { houseRule: { rewrite: 0.5 } });
    close(pay(trajectory, config), [
      [1.5, 0, 0.75],
      [1, 1, 0.25],
    ]);
  });

  it('takes the belief of a verifier that is paid, by its weight', () => {
    const trajectory = three();
    trajectory.turns.forEach((turn, t) => (turn.belief = [0.9, 0.2, 0.4, 0.6, 0.8, 0.1][t] as number));
    const config = configOf({ influence: 'current', influenceShare: 'own', rightAnswer: 0 });
    config.verifier.reward = 2;
    close(pay(trajectory, config), [
      [1.8, 0.4, 0.8],
      [1.2, 1.6, 0.2],
    ]);
    config.reward.influence = 'off';
    close(pay(trajectory, config), [
      [1.8, 0.4, 0.8],
      [1.2, 1.6, 0.2],
    ]);
  });

  it('pays nothing in a dialogue that did not finish, unless told to', () => {
    const unfinished = () =>
      debateOf(
        [
          [1, 0],
          [1, 1],
        ],
        { finishCode: 1 },
      );
    const reward = { influence: 'discounted', umadInfluence: 0.2, influenceAlpha0: 1 } as const;
    close(pay(unfinished(), configOf(reward)), [
      [0, 0],
      [0, 0],
    ]);
    const told = pay(unfinished(), configOf(reward, { agents: { maskUnfinished: false } }));
    expect(told.flat().every((r) => r > 0)).toBe(true);
  });

  it('counts an agent that fell silent as one that scored nothing, and pays it nothing', () => {
    const trajectory = debateOf(
      [
        [1, 0.5],
        [1, null],
      ],
      { finishCode: 0 },
    );
    const config = configOf({ influence: 'discounted' });
    expect(scoresByRound(trajectory, config)).toEqual([
      [1, 0.5],
      [1, 0],
    ]);
    close(pay(trajectory, config), [
      [(1 + 0.3 * 0.5) / 1.3, (0.5 + 0.3 * 0.5) / 1.3],
      [1, 0],
    ]);
  });

  it('pays changes of mind: with and against the others, and those of the others', () => {
    // In round 0, agent 0 is right. In round 1, agents 0 and 1 are right. In round 2, agents 1 and 2 are right.
    const trajectoryOf = () =>
      debateOf([
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 1],
      ]);
    const of = (bonus: Partial<Config['reward']>) => {
      const config = configOf({ influence: 'current', influenceShare: 'own', rightAnswer: 0, ...bonus });
      return pay(trajectoryOf(), config);
    };
    // Agent 1 changes to the right answer after half of the others were right, which is not a majority. Agent 2 changes
    // to the right answer after all others were right. Agent 0 gives up the right answer after half of the others were
    // right.
    close(of({ influenceAlpha0: 1 }), [
      [0, 0, 0],
      [0, 1, 0],
      [0, 0, 0],
    ]);
    close(of({ influenceAlpha1: 1 }), [
      [0, 0, 0],
      [0, 0, 0],
      [-1, 0, 1],
    ]);
    // From round 0 to round 1, the majority of the agents other than agent 2 becomes right. From round 1 to round 2,
    // the majority of the agents other than agent 0 becomes right, and the majority of the agents other than agent 2
    // becomes wrong.
    close(of({ influenceBeta0: 1 }), [
      [0, 0, 1],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    close(of({ influenceBeta1: 1 }), [
      [0, 0, 0],
      [1, 0, -1],
      [0, 0, 0],
    ]);
  });
});

describe('the bonus for better answers of others', () => {
  it('is a fifth by the sign of what the others gained, by hand', () => {
    // The agents' gains from round 0 to 1 are 0, +1 and −0.75. The mean gain of the others is +0.125 for agent 0,
    // −0.375 for agent 1 and +0.5 for agent 2.
    close(pay(three(), configOf({ umadInfluence: 0.2, rightAnswer: 0 })), [
      [0.2, -0.2, 0.2],
      [0, 0, 0],
    ]);
    close(pay(three(), configOf({ umadInfluence: 0.2 })), [
      [0.2, -0.2, 0.2],
      [1, 1, 0],
    ]);
  });

  it('is the same in whatever order agents are written down: nothing paid is read again', () => {
    const scores = [
      [0, 0.25, 1],
      [0.25, 0, 0.75],
      [1, 0.5, 0.5],
    ];
    const config = configOf({ umadInfluence: 0.2, rightAnswer: 0 });
    const plain = pay(debateOf(scores), config);
    for (const order of [
      [2, 1, 0],
      [1, 2, 0],
      [0, 2, 1],
    ]) {
      const turned = pay(debateOf(scores.map((row) => order.map((agent) => row[agent] as number))), config);
      turned.forEach((row, t) => row.forEach((r, i) => expect(r).toBe(plain[t]?.[order[i] as number])));
    }
    // This test would fail if rewards with a previously added bonus were compared, because the sign of a difference
    // would change: 0.25 (the score of agent 1) plus a bonus of 0.2 is 0.45.
    close(plain, [
      [-0.2, 0, 0],
      [0.2, 0.2, 0.2],
      [0, 0, 0],
    ]);
  });

  it('adds to what influence pays', () => {
    const both = pay(three(), configOf({ umadInfluence: 0.2, influence: 'current', influenceShare: 'own' }));
    close(both, [
      [1.2, -0.2, 0.95],
      [1, 1, 0],
    ]);
  });
});

describe('causal influence as a reward', () => {
  it('pays each speaker its weight of what was noted on the turn, and nothing where nothing was', () => {
    const trajectory = three();
    trajectory.turns.forEach((turn, t) => {
      if (t < 3) turn.influence = [0.5, -0.25, 2][t] as number;
    });
    close(pay(trajectory, configOf({ causal: 0.4 })), [
      [0.2, -0.1, 0.8],
      [1, 1, 0],
    ]);
  });

  it('stays the speaker’s own where all else is shared', () => {
    const trajectory = three();
    trajectory.turns.forEach((turn) => (turn.influence = 1));
    const paid = payTrajectory(trajectory, [0, 0, 0, 0, 0, 0, 0], configOf({ across: 'sum', causal: 0.5 }));
    expect(paid).toEqual([
      [0.5, 0, 0],
      [0, 0.5, 0],
      [0, 0, 0.5],
      [1.5, 1, 1],
      [1, 1.5, 1],
      [0, 0, 0.5],
    ]);
    expect(trajectory.reward).toBe(3);
  });
});

describe('on 200 debates of odd shapes', () => {
  const drawn = (seed: number) => {
    const draws = new Draws(seed, streams.control, 60);
    const [rounds, agents] = [1 + draws.below(4), 2 + draws.below(4)];
    const scores = Array.from({ length: rounds }, () => Array.from({ length: agents }, () => draws.below(5) / 4));
    return { scores, draws };
  };

  it('all settings together pay the sums written out', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { scores, draws } = drawn(seed);
      const [a0, a1, b0, b1, coef, causal] = Array.from({ length: 6 }, () => draws.next()) as number[];
      const influence = (['last', 'current', 'discounted'] as const)[seed % 3] as 'last';
      const share = seed % 2 === 0 ? 'own' : 'all';
      const trajectory = debateOf(scores);
      trajectory.turns.forEach((turn) => (turn.influence = draws.normal()));
      const config = configOf({
        ...{ influence, influenceShare: share, influenceGamma: 0.7, rightAnswer: 1.5 },
        ...{ influenceAlpha0: a0, influenceAlpha1: a1, influenceBeta0: b0, influenceBeta1: b1 },
        ...{ umadInfluence: coef, causal },
      } as Partial<Config['reward']>);
      const worth = referenceInfluenceAware(scores, 0.7, `${influence}-${share}`);
      const right = scores.map((row) => row.map((score) => score === 1));
      const bonus = referenceInfluenceBonus(right, [a0, a1] as number[], [b0, b1] as number[]);
      const zero = scores.map((row) => row.map(() => 0));
      const umad = referenceInfluenceGain(scores, coef as number).map((row, t) =>
        row.map((r, agent) => r - (scores[t]?.[agent] as number)),
      );
      const moved = answersByRound(trajectory).map((row) =>
        row.map((turn) => (causal as number) * (turn?.influence ?? 0)),
      );
      const at = (table: number[][], t: number, agent: number) => table[t]?.[agent] as number;
      const expected = zero.map((row, t) =>
        row.map((_, i) => 1.5 * at(worth, t, i) + at(bonus, t, i) + at(umad, t, i) + at(moved, t, i)),
      );
      expect(largestGap(pay(trajectory, config), expected), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });

  it('turned off, they change no bit of what is paid', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { scores, draws } = drawn(seed);
      const across = (['sum', 'mean', 'max', 'dictator', 'own'] as const)[seed % 5] as 'sum';
      const over = (['sparse', 'dense', 'accumulated'] as const)[seed % 3] as 'dense';
      const config = configOf(
        { across, over, rightAnswer: draws.next(), gammaTurn: 0.9 },
        { houseRule: { rewrite: draws.next() } },
      );
      const plain = debateOf(scores);
      const noted = debateOf(scores);
      // If a bonus is disabled, its weight and the values that were measured for it have no effect.
      noted.turns.forEach((turn) => Object.assign(turn, { influence: 3, belief: 0.5 }));
      const other = { ...config, reward: { ...config.reward, influenceGamma: 0.9, influenceShare: 'own' as const } };
      const zeros = Array<number>(plain.turns.length + 1).fill(0);
      expect(payTrajectory(noted, zeros, other)).toEqual(payTrajectory(plain, zeros, config));
      expect(noted.reward).toBe(plain.reward);
    }
  });
});
