import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { parseConfig } from '../../config/parse.ts';
import type { FinishCode } from '../../records/trajectory.ts';
import { rightByRound } from './creditPay.ts';
import { formOf } from '../../config/worlds/registry.ts';
import { ownRewards, softOverlong, stepRewards } from './ownRewards.ts';
import { agentTotal, payTrajectory } from './rewards.ts';
import { trajectoryOf } from '../testing/spoken.ts';

// The turns belong to planner, reasoner, planner, reasoner and planner. With the weights below, the five turns earn 1,
// 2, 0, 2 and 5.
const dialogue = (finishCode: FinishCode = 0) =>
  trajectoryOf(
    [
      { agent: 0, tokens: [11, 2], earned: { legalOperation: 1 } },
      { agent: 1, tokens: [12, 2], earned: { rewrite: 1 } },
      { agent: 0, tokens: [13, 2] },
      { agent: 1, tokens: [14, 2], earned: { rewrite: 1 } },
      { agent: 0, tokens: [3], earned: { rightAnswer: 1, finished: 1 } },
    ],
    { finishCode },
  );
const weights = { rightAnswer: 2, finished: 3 } as never;
const partWeights = { legalOperation: 1, rewrite: 2 };

function pay(
  reward: ConfigInput['reward'],
  {
    finishCode = 0 as FinishCode,
    potentials = [0, 0, 0, 0, 0, 0],
    houseRule = partWeights as ConfigInput['houseRule'],
  } = {},
) {
  const config = parseConfig({ houseRule });
  Object.assign(config.reward, weights, { gammaTurn: 0.5 }, reward);
  const trajectory = dialogue(finishCode);
  const paid = payTrajectory(trajectory, potentials, config);
  return { paid, trajectory, config };
}

/**
 * The rewards of planner and reasoner at each turn, computed by hand. Before sharing, the planner has the rewards 1, 0,
 * 0, 0 and 5, and the reasoner has 0, 2, 0, 2 and 0.
 */
const byHand = [
  ['sum', 'sparse', '0 0 0 0 10', '0 0 0 0 10'],
  ['sum', 'dense', '1 2 0 2 5', '1 2 0 2 5'],
  ['sum', 'accumulated', '2.5625 3.125 2.25 4.5 5', '2.5625 3.125 2.25 4.5 5'],
  ['mean', 'sparse', '0 0 0 0 5', '0 0 0 0 5'],
  ['mean', 'dense', '0.5 1 0 1 2.5', '0.5 1 0 1 2.5'],
  ['mean', 'accumulated', '1.28125 1.5625 1.125 2.25 2.5', '1.28125 1.5625 1.125 2.25 2.5'],
  ['max', 'sparse', '0 0 0 0 6', '0 0 0 0 6'],
  ['max', 'dense', '1 2 0 2 5', '1 2 0 2 5'],
  ['max', 'accumulated', '2.5625 3.125 2.25 4.5 5', '2.5625 3.125 2.25 4.5 5'],
  ['dictator', 'sparse', '0 0 0 0 6', '0 0 0 0 6'],
  ['dictator', 'dense', '1 0 0 0 5', '1 0 0 0 5'],
  ['dictator', 'accumulated', '1.3125 0.625 1.25 2.5 5', '1.3125 0.625 1.25 2.5 5'],
  ['own', 'sparse', '0 0 0 0 6', '0 0 0 0 4'],
  ['own', 'dense', '1 0 0 0 5', '0 2 0 2 0'],
  ['own', 'accumulated', '1.3125 0.625 1.25 2.5 5', '1.25 2.5 1 2 0'],
] as const;

describe('payTrajectory', () => {
  it.each(byHand)('pays %s across agents, %s over turns, as worked out by hand', (across, over, planner, reasoner) => {
    const [ofPlanner, ofReasoner] = [planner, reasoner].map((row) => row.split(' ').map(Number)) as [
      number[],
      number[],
    ];
    const { paid, trajectory, config } = pay({ across, over });
    expect(paid).toEqual(ofPlanner.map((reward, t) => [reward, ofReasoner[t]]));
    expect(trajectory.turns.map(({ reward }) => reward)).toEqual(
      ofPlanner.map((reward, t) => (t % 2 === 0 ? reward : ofReasoner[t])),
    );
    const totals = [ofPlanner, ofReasoner].map((row) =>
      over === 'accumulated' ? (row[0] as number) : row.reduce((sum, reward) => sum + reward, 0),
    );
    expect([0, 1].map((agent) => agentTotal(paid, agent, config))).toEqual(totals);
    expect(trajectory.reward).toBeCloseTo(((totals[0] as number) + (totals[1] as number)) / 2, 12);
  });

  it('weighs each component alone', () => {
    const dense = { across: 'sum', over: 'dense', rightAnswer: 0, finished: 0 } as const;
    const planner = (reward: ConfigInput['reward'], parts: ConfigInput['houseRule'] = {}) =>
      pay({ ...dense, ...reward }, { houseRule: parts }).paid.map(([r]) => r);
    expect(planner({}, { legalOperation: 0.5 })).toEqual([0.5, 0, 0, 0, 0]);
    expect(planner({}, { rewrite: 0.5 })).toEqual([0, 0.5, 0, 0.5, 0]);
    expect(planner({ rightAnswer: 0.5 })).toEqual([0, 0, 0, 0, 0.5]);
    expect(planner({ finished: 0.5 })).toEqual([0, 0, 0, 0, 0.5]);
    expect(planner({})).toEqual([0, 0, 0, 0, 0]);
  });

  it('pays nothing for a dialogue that did not finish, unless told to', () => {
    for (const finishCode of [1, 2, 3] as const) {
      const { paid, trajectory } = pay({}, { finishCode });
      expect(paid.flat().every((r) => r === 0)).toBe(true);
      expect([trajectory.reward, ...trajectory.turns.map(({ reward }) => reward)]).toEqual([0, 0, 0, 0, 0, 0]);
    }
    const config = parseConfig({ agents: { maskUnfinished: false } });
    const trajectory = dialogue(1);
    payTrajectory(trajectory, [0, 0, 0, 0, 0, 0], config);
    expect(trajectory.reward).toBe(1);
  });

  it('shapes every ending alike: who does not finish pays −Φ of the question as well', () => {
    const config = parseConfig({ reward: { over: 'accumulated', shaping: 0.5 } });
    const paid = ([1, 0] as const).map((finishCode) => {
      const trajectory = dialogue(finishCode);
      payTrajectory(trajectory, [1, 1, 0, 0, 0, 0], config);
      return trajectory.reward;
    });
    expect(paid).toEqual([expect.closeTo(-0.5, 12), expect.closeTo(1 - 0.5, 12)]);
  });

  it('does not pay a longer dialogue more for being long when rewards accumulate', () => {
    const config = parseConfig({ reward: { over: 'accumulated' } });
    const of = (turns: number) => {
      const trajectory = trajectoryOf(
        Array.from({ length: turns }, (_, t) => ({
          agent: t % 2,
          tokens: [11, t === turns - 1 ? 3 : 2],
          earned: { rightAnswer: t === turns - 1 ? 1 : 0 },
        })),
      );
      payTrajectory(trajectory, Array<number>(turns + 1).fill(0), config);
      return trajectory.reward;
    };
    expect([of(1), of(3), of(5)]).toEqual([1, 1, 1]);
  });
});

describe('turns said at once', () => {
  /**
   * Two agents answer simultaneously in each of two rounds: turns 0 and 1, then turns 2 and 3. The answers in turns 1,
   * 2 and 3 are right.
   */
  const debate = () => {
    const trajectory = trajectoryOf([
      { agent: 0, tokens: [11, 2] },
      { agent: 1, tokens: [12, 2], earned: { rightAnswer: 1 } },
      { agent: 0, tokens: [13, 2], earned: { rightAnswer: 1 } },
      { agent: 1, tokens: [14, 2], earned: { rightAnswer: 1 } },
    ]);
    trajectory.turns.forEach((turn, i) => Object.assign(turn, { isRight: i > 0, ...(i % 2 === 1 && { set: i - 1 }) }));
    return trajectory;
  };
  const paid = (reward: ConfigInput['reward']) => {
    const config = parseConfig({});
    Object.assign(config.reward, { rightAnswer: 1, over: 'accumulated', gammaTurn: 0.5 }, reward);
    return payTrajectory(debate(), [0, 0, 0, 0, 0], config);
  };

  it('are one step of time: each is paid its whole set, and what follows is discounted once', () => {
    expect(paid({ across: 'own' })).toEqual([
      [0.5, 1.5],
      [0.5, 1.5],
      [1, 1],
      [1, 1],
    ]);
    expect(paid({ across: 'sum' })).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
  });

  it('are one step of shaping, which along any dialogue costs −Φ at the start', () => {
    const config = parseConfig({});
    Object.assign(config.reward, { over: 'dense', across: 'sum', rightAnswer: 0, shaping: 1, gammaTurn: 1 });
    const rewards = payTrajectory(debate(), [1, 0.5, 0.5, 1, 1], config);
    expect(rewards.map(([ofFirst]) => ofFirst)).toEqual([0, -0.5, 0, -0.5]);
  });

  it('stand in one row of the table of right answers', () => {
    expect(rightByRound(debate())).toEqual([
      [false, true],
      [true, true],
    ]);
    expect(rightByRound(dialogue())).toEqual([]);
  });
});

describe('the punishment for long turns', () => {
  it('grows in the last share of the window, by hand', () => {
    // With a window of 100 and a share of 0.2, turns of 70, 80, 85, 90 and 100 tokens leave 0.3, 0.2, 0.15, 0.1 and 0.
    const unused = [0.3, 0.2, 0.15, 0.1, 0];
    [0, 0, 0.25, 0.5, 1].forEach((expected, i) => expect(softOverlong(unused[i], 0.2)).toBeCloseTo(expected, 12));
    expect(softOverlong(undefined, 0.2)).toBe(0);
  });

  it('is deducted from the turn itself, as a step if steps are compared, and not at all if nothing is paid', () => {
    const reward = { overlong: 0.8, overlongShare: 0.2 };
    const paid = (more: ConfigInput, finishCode: FinishCode = 0) => {
      const config = parseConfig({ houseRule: partWeights, ...more });
      Object.assign(config.reward, weights, reward);
      const trajectory = dialogue(finishCode);
      trajectory.turns.forEach((turn, t) => (turn.parts['length'] = t === 1 ? 0.1 : 0.5));
      const form = formOf(trajectory.problem.world);
      return [ownRewards(trajectory, config, form), stepRewards(trajectory, config, form)];
    };
    // The second turn earns 2 and loses half of 0.8.
    expect(paid({})[0]).toEqual([1, 1.6, 0, 2, 5]);
    const [outcomes, steps] = paid({ learning: { outcomeShare: 0.5 } });
    expect(outcomes).toEqual([0, 0, 0, 0, 5]);
    expect(steps).toEqual([1, 1.6, 0, 2, 0]);
    expect(paid({ agents: { maskUnfinished: true } }, 2)).toEqual([
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ]);
  });
});
