import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { teamAcross, teamOver } from '../../config/names.ts';
import { referenceTeamReward } from '../reference/advantages.ts';
import { largestGap } from '../reference/batches.ts';
import { teamReward } from './teamReward.ts';

// Planner (agent 0) and reasoner (agent 1) in three turns.
const perTurn = [
  [0.5, 0],
  [0, 0.25],
  [1, -1],
];
const dense = { over: 'dense', gammaTurn: 0.5 } as const;

describe('teamReward across agents', () => {
  it('adds, averages, takes the best, follows agent 0 or leaves each its own', () => {
    expect(teamReward(perTurn, { ...dense, across: 'sum' })).toEqual([
      [0.5, 0.5],
      [0.25, 0.25],
      [0, 0],
    ]);
    expect(teamReward(perTurn, { ...dense, across: 'mean' })[0]).toEqual([0.25, 0.25]);
    expect(teamReward(perTurn, { ...dense, across: 'max' })[2]).toEqual([1, 1]);
    expect(teamReward(perTurn, { ...dense, across: 'dictator' })).toEqual([
      [0.5, 0.5],
      [0, 0],
      [1, 1],
    ]);
    expect(teamReward(perTurn, { ...dense, across: 'own' })).toEqual(perTurn);
  });
});

describe('teamReward across turns', () => {
  it('sparse keeps the last turn only', () => {
    expect(teamReward(perTurn, { across: 'own', over: 'sparse', gammaTurn: 0.5 })).toEqual([
      [0, 0],
      [0, 0],
      [1, -1],
    ]);
  });
  it('accumulated discounts what is still to come', () => {
    expect(teamReward(perTurn, { across: 'own', over: 'accumulated', gammaTurn: 0.5 })).toEqual([
      [0.5 + 0.25 * 1, 0.5 * 0.25 + 0.25 * -1],
      [0.5 * 1, 0.25 + 0.5 * -1],
      [1, -1],
    ]);
  });
  it('accumulated undiscounted pays the team total on the first turn, and 0 discount is dense', () => {
    expect(teamReward(perTurn, { across: 'sum', over: 'accumulated', gammaTurn: 1 })[0]).toEqual([0.75, 0.75]);
    expect(teamReward(perTurn, { across: 'max', over: 'accumulated', gammaTurn: 0 })).toEqual(
      teamReward(perTurn, { ...dense, across: 'max' }),
    );
  });
  it('does not touch its input', () => {
    const copy = structuredClone(perTurn);
    teamReward(perTurn, { across: 'own', over: 'accumulated', gammaTurn: 0.9 });
    expect(perTurn).toEqual(copy);
  });
});

it.each(teamAcross.flatMap((across) => teamOver.map((over) => ({ across, over }))))(
  'agrees with the formula written out on 200 dialogues of odd shapes, $across and $over',
  ({ across, over }) => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 41);
      const [turns, agents, gammaTurn] = [draws.below(7), 1 + draws.below(5), draws.next()];
      const table = Array.from({ length: turns }, () => Array.from({ length: agents }, () => draws.normal()));
      const options = { across, over, gammaTurn };
      const gap = largestGap(teamReward(table, options), referenceTeamReward(table, options));
      expect(gap, `seed ${seed}`).toBeLessThan(1e-9);
    }
  },
);

it('a dialogue without turns has no rewards, one with ragged turns is refused', () => {
  expect(teamReward([], { ...dense, across: 'mean' })).toEqual([]);
  expect(() => teamReward([[1, 2], [3]], { ...dense, across: 'sum' })).toThrow(ShapeError);
});
