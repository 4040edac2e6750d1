import { expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { referenceShaping } from '../reference/advantages.ts';
import { largestGap } from '../reference/batches.ts';
import { potentialShaping } from './credit.ts';

it('a shaped turn is its reward plus the discounted gain of potential, the ending counting 0', () => {
  const got = potentialShaping([0, 0, 1], [0.2, 0.6, 0.4], { gammaTurn: 0.5 });
  [0.5 * 0.6 - 0.2, 0.5 * 0.4 - 0.6, 1 - 0.4].forEach((x, t) => expect(got[t]).toBeCloseTo(x, 12));
});

it('the discounted total changes by −Φ(s₀) only, whatever happens on the way', () => {
  for (let seed = 0; seed < 200; seed++) {
    const draws = new Draws(seed, streams.control, 2);
    const turns = 1 + draws.below(9);
    const gammaTurn = draws.next();
    const rewards = Array.from({ length: turns }, () => draws.normal());
    const potentials = Array.from({ length: turns }, () => draws.normal());
    const total = (of: ArrayLike<number>) => Array.from(of).reduce((sum, r, t) => sum + gammaTurn ** t * r, 0);
    const shaped = total(potentialShaping(rewards, potentials, { gammaTurn }));
    expect(shaped).toBeCloseTo(total(rewards) - (potentials[0] as number), 9);
  }
});

it('every turn is that of the formula written out in 200 dialogues, ended or interrupted', () => {
  for (let seed = 0; seed < 200; seed++) {
    const draws = new Draws(seed, streams.control, 44);
    const rewards = Array.from({ length: draws.below(10) }, () => draws.normal());
    const potentials = rewards.map(() => draws.normal());
    const [gammaTurn, afterLast] = [draws.next(), seed % 2 ? draws.normal() : 0];
    const got = potentialShaping(rewards, potentials, { gammaTurn, ...(afterLast !== 0 && { afterLast }) });
    const expected = referenceShaping(rewards, potentials, { gammaTurn, afterLast });
    expect(largestGap([Array.from(got)], [expected]), `seed ${seed}`).toBeLessThan(1e-9);
  }
});

it('a potential for the ending is refused', () => {
  expect(() => potentialShaping([1], [0.5, 0.7], { gammaTurn: 1 })).toThrow(ShapeError);
});
