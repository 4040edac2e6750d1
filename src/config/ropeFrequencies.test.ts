import { describe, expect, it } from 'vitest';
import { ropeFrequencies, scaledFrequency } from './ropeFrequencies.ts';

describe('how fast the pairs of a head turn', () => {
  it('is 1 and 1/100 for two pairs and an angle of 10,000', () => {
    expect(ropeFrequencies({ headSize: 4, ropeTheta: 10_000 })).toEqual([1, 0.01]);
  });

  it('is divided by the factor where positions are', () => {
    const ropeScaling = { kind: 'linear', factor: 4 } as const;
    expect(ropeFrequencies({ headSize: 4, ropeTheta: 10_000, ropeScaling })).toEqual([0.25, 0.0025]);
  });

  it('in Llama 3 stays where it turns often in the first context, is divided where it does not turn once, and goes over between', () => {
    const scaling = {
      kind: 'llama3',
      factor: 8,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 100,
    } as const;
    const turns = (count: number) => (2 * Math.PI * count) / 100;
    expect(scaledFrequency(turns(5), scaling)).toBe(turns(5));
    expect(scaledFrequency(turns(0.5), scaling)).toBeCloseTo(turns(0.5) / 8, 12);
    // 2.5 rotations are halfway between the limits 1 and 4, so the frequency is the mean of the scaled and the original
    // one.
    expect(scaledFrequency(turns(2.5), scaling)).toBeCloseTo((turns(2.5) / 8 + turns(2.5)) / 2, 12);
    expect(scaledFrequency(turns(1), scaling)).toBeCloseTo(turns(1) / 8, 12);
    expect(scaledFrequency(turns(4), scaling)).toBeCloseTo(turns(4), 12);
  });
});
