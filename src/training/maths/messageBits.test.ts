import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { mutualBits, shuffledBits, type MessageSample } from './messageBits.ts';

const many = (count: number, ...pair: MessageSample) => Array.from({ length: count }, (): MessageSample => pair);
const anyPairs = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y')), {
  minLength: 1,
  maxLength: 40,
});

/** Computes the mutual information from a table of shares: Σ p(m, h) log₂ (p(m, h) / (p(m) p(h))). */
function byTable(pairs: readonly MessageSample[]): number {
  const share = (is: (pair: MessageSample) => boolean) => pairs.filter(is).length / pairs.length;
  let bits = 0;
  for (const m of new Set(pairs.map(([message]) => message)))
    for (const h of new Set(pairs.map(([, hidden]) => hidden))) {
      const joint = share(([message, hidden]) => message === m && hidden === h);
      if (joint > 0) bits += joint * Math.log2(joint / (share(([one]) => one === m) * share(([, one]) => one === h)));
    }
  return bits;
}

describe('bits of messages', () => {
  it('by hand: a code says all, silence nothing', () => {
    const code = [...many(8, 'a', 'x'), ...many(8, 'b', 'y')];
    expect(mutualBits(code).plain).toBeCloseTo(1, 12);
    // Two messages, two hidden parts and two different pairs occur, so the correction adds (1 + 1 − 1) / (2 · 16) nats.
    expect(mutualBits(code).corrected).toBeCloseTo(1 + 1 / 32 / Math.LN2, 12);
    const same = [...many(8, 'a', 'x'), ...many(8, 'a', 'y')];
    expect(mutualBits(same).plain).toBeCloseTo(0, 12);
    // All pairs are equally frequent. With four different pairs, the information is overestimated by (3 − 1 − 1) / (2 ·
    // 16) nats, which the correction subtracts.
    const none = [...many(4, 'a', 'x'), ...many(4, 'a', 'y'), ...many(4, 'b', 'x'), ...many(4, 'b', 'y')];
    expect(mutualBits(none).plain).toBeCloseTo(0, 12);
    expect(mutualBits(none).corrected).toBeCloseTo(-1 / 32 / Math.LN2, 12);
    expect(mutualBits([])).toEqual({ plain: 0, corrected: 0 });
  });

  it('are those of a table of joint shares, never below 0 nor above what is hidden', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const { plain } = mutualBits(pairs);
        expect(plain).toBeCloseTo(byTable(pairs), 9);
        expect(plain).toBeGreaterThan(-1e-9);
        expect(plain).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  it('of shuffled pairs are about none, and a code stands far above them', () => {
    const code = [...many(16, 'a', 'x'), ...many(16, 'b', 'y'), ...many(16, 'c', 'z')];
    const chance = shuffledBits(code, new Draws(1, streams.control, 0));
    expect(Math.abs(chance.mean)).toBeLessThan(0.02);
    expect(chance.high).toBeLessThan(0.2);
    expect(mutualBits(code).corrected).toBeGreaterThan(1.5);
  });
});
