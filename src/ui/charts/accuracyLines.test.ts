import { describe, expect, it } from 'vitest';
import { form as houseRule } from '../../extensions/worlds/houseRule/form.ts';
import { wilson } from '../../base/stats.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { accuracyLines, ceilingBand, slicesOf } from './accuracyLines.ts';

const evaluation = (iteration: number, more: Partial<Evaluation> = {}): Evaluation => ({
  iteration,
  accuracy: 0.5,
  ...wilson(256, 512),
  problems: 512,
  bySlice: { precedence: 0.9, leftToRight: 0.4, rightToLeft: 0.2 },
  ceiling: 0.67,
  ...more,
});

describe('the lines of right answers', () => {
  const evaluations = [evaluation(0, { maskedMessage: 0.3 }), evaluation(10)];

  it('all have names, and no two of them look alike', () => {
    for (const slices of [null, slicesOf(evaluations, houseRule.slices)]) {
      const lines = accuracyLines(evaluations, 'team', slices);
      expect(lines).toHaveLength(slices ? 4 : 2);
      expect(new Set(lines.map(({ label }) => label)).size).toBe(lines.length);
      expect(new Set(lines.map(({ colour }) => colour)).size).toBe(lines.length);
      // The lines must differ in more than their colour. The team's line is the widest, and each other line has a
      // different dash pattern.
      expect(new Set(lines.map(({ dash, width }) => `${String(dash)} ${width}`)).size).toBe(lines.length);
      expect(lines.every(({ label }) => label !== '')).toBe(true);
    }
  });

  it('have the order and labels of the world, and a slice without a label comes last under its name', () => {
    const measured = [evaluation(0, { bySlice: { odd: 0.1, rightToLeft: 0.2, precedence: 0.9 } })];
    expect(slicesOf(measured, houseRule.slices)).toEqual([
      ['precedence', 'multiplication first'],
      ['rightToLeft', 'right to left'],
      ['odd', 'odd'],
    ]);
  });

  it('do not include slices that were not measured', () => {
    expect(
      accuracyLines([evaluation(0, { bySlice: {} })], 'one agent', slicesOf([evaluation(0)], undefined)).map(
        ({ label }) => label,
      ),
    ).toEqual(['one agent']);
    expect(accuracyLines([evaluation(0)], 'team', null).map(({ label }) => label)).toEqual(['team']);
  });
});

it('the band of the ceiling ends where a team is significantly above it, for any number of problems', () => {
  for (const problems of [16, 64, 512, 2048])
    for (const ceiling of [0.1, 0.61, 2 / 3, 0.9]) {
      const { low, high } = ceilingBand({ ceiling, problems });
      for (let right = 0; right <= problems; right++) {
        const team = wilson(right, problems);
        expect(team.low > ceiling).toBe(right / problems > high || (high === 1 && team.low > ceiling));
        expect(team.high < ceiling).toBe(right / problems < low || (low === 0 && team.high < ceiling));
      }
    }
  const { low, high } = ceilingBand({ ceiling: 2 / 3, problems: 512 });
  // 1.96 · √(2/3 · 1/3 / 512) = 0.0408.
  expect(low).toBeCloseTo(0.6258, 4);
  expect(high).toBeCloseTo(0.7075, 4);
});
