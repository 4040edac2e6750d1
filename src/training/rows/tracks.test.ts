import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { discountsOf, lambdaReturns, plainReturns, stepValues, type Track } from './tracks.ts';

/** There are two simultaneous turns, followed by two separate ones. */
const track: Track = { places: [[1, 3], [4], [7]], rewards: [0, 0, 1] };
const values = [9, 0, 9, 0.4, 0.4, 9, 9, 0.5];

describe('the steps of a track', () => {
  it('are worth the mean of the values at their places', () => {
    expect(stepValues(track, values)).toEqual([0.2, 0.4, 0.5]);
  });

  it('are predicted by their λ-returns: value and generalised advantage, by hand', () => {
    const expected = [0.2 + 0.727618, 0.4 + 0.56525, 1];
    lambdaReturns(track, values, { gamma: 0.99, lambda: 0.95 }).forEach((x, i) =>
      expect(x).toBeCloseTo(expected[i] as number, 6),
    );
  });

  it('are followed by what later ones earn, whatever the values', () => {
    expect([...plainReturns({ ...track, rewards: [1, 0, 2] }, { gamma: 0.5, lambda: 0 })]).toEqual([1.5, 1, 2]);
    expect(lambdaReturns(track, values, { gamma: 1, lambda: 1 })).toEqual([1, 1, 1]);
  });
});

it('a step is discounted as a token, or as a turn where steps are turns', () => {
  const of = (learning: object) =>
    discountsOf(
      parseConfig({
        learning: { gamma: 0.9, gaeLambda: 0.8, lambdaTurn: 0.7, ...learning },
        reward: { gammaTurn: 0.6 },
      }),
    );
  expect(of({ learner: 'ppo' })).toEqual({ gamma: 0.9, lambda: 0.8 });
  for (const learning of [{ learner: 'mappo' }, { learner: 'ppo', gaeLevel: 'turn' }])
    expect(of(learning)).toEqual({ gamma: 0.6, lambda: 0.7 });
});
