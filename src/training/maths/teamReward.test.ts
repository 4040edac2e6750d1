import { expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { teamAcross, teamOver } from '../../config/names.ts';
import { referenceTeamReward } from '../reference/advantages.ts';
import { largestGap } from '../reference/batches.ts';
import { teamReward } from './teamReward.ts';

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

it('a dialogue without turns has no rewards, one with ragged turns is refused, and what is given stays as it is', () => {
  const options = { across: 'sum', over: 'accumulated', gammaTurn: 0.9 } as const;
  const given = [
    [1, 2],
    [3, 4],
  ];
  teamReward(given, options);
  expect(given).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(teamReward([], options)).toEqual([]);
  expect(() => teamReward([[1, 2], [3]], options)).toThrow(ShapeError);
});
