import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { referenceScale } from '../reference/advantages.ts';
import { followed, spreadOf, unscaled } from './valueScale.ts';

describe('the scale of a critic’s values', () => {
  it('is that of the first returns after one iteration, and leans on the newer ones after two, by hand', () => {
    const first = followed(unscaled, [0, 1, 1, 0]);
    expect(first.weight).toBeCloseTo(0.1, 12);
    expect(spreadOf(first).centre).toBeCloseTo(0.5, 12);
    expect(spreadOf(first).deviation).toBeCloseTo(0.5, 12);
    // The first mean has the weight 0.9 · 0.1, the second has the weight 0.1, and the total weight is 0.19: (0.09 · 0.5
    // + 0.1 · 2) / 0.19.
    const second = followed(first, [1, 3]);
    expect(second.weight).toBeCloseTo(0.19, 12);
    expect(spreadOf(second).centre).toBeCloseTo(0.245 / 0.19, 12);
    expect(spreadOf(second).deviation).toBeCloseTo(Math.sqrt(0.545 / 0.19 - (0.245 / 0.19) ** 2), 12);
  });

  it('leaves values as they are before any return, and after an iteration without any', () => {
    expect(spreadOf(unscaled)).toEqual({ centre: 0, deviation: 1 });
    expect(followed(unscaled, [])).toEqual(unscaled);
  });

  it('has a deviation of a tenth at least, also of returns that are all the same', () => {
    expect(spreadOf(followed(unscaled, [0.7, 0.7]))).toEqual({ centre: expect.closeTo(0.7, 12), deviation: 0.1 });
  });

  it('agrees with the weights of all iterations written out on 200 series', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 31);
      const series = Array.from({ length: 1 + draws.below(6) }, () =>
        Array.from({ length: 1 + draws.below(5) }, () => 3 * draws.normal() + seed / 100),
      );
      const { centre, deviation } = spreadOf(series.reduce(followed, unscaled));
      const expected = referenceScale(series);
      expect(Math.abs(centre - expected.centre), `seed ${seed}`).toBeLessThan(1e-9);
      expect(Math.abs(deviation - expected.deviation), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
});
