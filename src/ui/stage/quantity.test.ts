import { describe, expect, it } from 'vitest';
import type { GroupInspection, TurnInspection } from '../../records/inspection.ts';
import { availableQuantities, fullTint, tint, tintEnds } from './quantity.ts';

const turn = (numbers: Partial<TurnInspection>): TurnInspection => ({
  tokens: ['4', '⏎'],
  p: [0.8, 0.9],
  pBefore: [0.5, 0.9],
  tokenRatio: [1.6, 1],
  ratio: [1.3, 1.3],
  advantage: [2, -0.5],
  kl: [],
  entropy: [0.2, 0.1],
  won: [1, 0],
  value: [],
  alternatives: [[], []],
  ...numbers,
});
const group = (inspected: TurnInspection) => ({ rollouts: [{ turns: [inspected] }] }) as unknown as GroupInspection;

describe('the tint of a token', () => {
  it('is full at the largest value of the group, on either side of the centre', () => {
    const full = fullTint('advantage', group(turn({})));
    expect(full).toBe(2);
    expect(tint('advantage', 2, full)).toEqual({ strength: 1, direction: 1 });
    expect(tint('advantage', -0.5, full)).toEqual({ strength: 0.25, direction: -1 });
    expect(tint('advantage', 0, full)).toEqual({ strength: 0, direction: 0 });
  });

  it('is pale for small numbers, because the full tint has a minimum', () => {
    const full = fullTint('advantage', group(turn({ advantage: [0.01, 0] })));
    expect(tint('advantage', 0.01, full).strength).toBeCloseTo(0.01, 10);
  });

  it('is equally strong for a ratio and its inverse', () => {
    const full = fullTint('ratio', group(turn({})));
    expect(tint('ratio', 1.6, full).strength).toBeCloseTo(1, 10);
    expect(tint('ratio', 1 / 1.6, full)).toMatchObject({ direction: -1 });
    expect(tint('ratio', 1 / 1.6, full).strength).toBeCloseTo(1, 10);
    expect(tint('ratio', 1, full).direction).toBe(0);
    expect(tintEnds('ratio', full)).toEqual(['0.63', '1.60']);
  });

  it('is absent for a number that is not finite, which does not affect the scale', () => {
    const full = fullTint('advantage', group(turn({ advantage: [Number.NaN, 1.5] })));
    expect(full).toBe(1.5);
    expect(tint('advantage', Number.NaN, full)).toEqual({ strength: 0, direction: 0 });
  });

  it('can show KL only with a reference, and the value only with a critic', () => {
    expect(availableQuantities(null)).toEqual(['probability']);
    expect(availableQuantities(group(turn({})))).toEqual(['probability', 'advantage', 'ratio', 'entropy']);
    expect(availableQuantities(group(turn({ kl: [0, 0], value: [1, 1] })))).toHaveLength(6);
  });
});
