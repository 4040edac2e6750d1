import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { causalInfluence } from './credit.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceCausal } from '../reference/credit.ts';

describe('causalInfluence', () => {
  it('is the mean gain of the next turn’s log-probabilities, by hand', () => {
    const got = causalInfluence([
      { full: [-0.1, -0.3], hidden: [-1.1, -0.9] }, // gains 1 and 0.6
      { full: [-2], hidden: [-0.5] },
    ]);
    expect(largestGap([Array.from(got)], [[0.8, -1.5, 0]])).toBeLessThan(1e-12);
  });
  it('of a turn that the next one ignores is 0, as is that of the last turn and before an empty one', () => {
    const same = [-0.7, -0.2];
    expect(
      Array.from(
        causalInfluence([
          { full: same, hidden: same },
          { full: [], hidden: [] },
        ]),
      ),
    ).toEqual([0, 0, 0]);
    expect(Array.from(causalInfluence([]))).toEqual([0]);
  });
  it('agrees with the difference of means on 200 dialogues', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 27);
      const lengths = Array.from({ length: draws.below(7) }, () => draws.below(5));
      const tokens = () => lengths.map((length) => Array.from({ length }, () => -4 * draws.next()));
      const [full, hidden] = [tokens(), tokens()];
      const got = causalInfluence(full.map((turn, t) => ({ full: turn, hidden: hidden[t] as number[] })));
      expect(largestGap([Array.from(got)], [referenceCausal(full, hidden)]), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('refuses two passes over different tokens', () => {
    expect(() => causalInfluence([{ full: [-1, -1], hidden: [-1] }])).toThrow(/turn 1 has 2 tokens/);
  });
});
