import { describe, expect, it } from 'vitest';
import { axisNumber, extent, lastValue, nearest, spokenChart } from './chartLine.ts';

describe('the data of a chart', () => {
  const lines = [{ label: 'team', colour: 'ink' as const, values: [0.5, null, 0.8], low: [0.4, null, 0.7] }];

  it('have the range of values, bands and levels', () => {
    expect(extent(lines, [{ label: '', value: 0.9 }])).toEqual([0.4, 0.9]);
    expect(extent([], [])).toBeNull();
  });

  it('have the last value that is a number', () => {
    expect(lastValue([1, 2, Number.NaN, null])).toEqual({ index: 1, value: 2 });
  });

  it('have few digits along an axis', () => {
    expect([0, 5, 2.5, 12.4, 0.2, 0.05].map(axisNumber)).toEqual(['0', '5', '2.5', '12', '0.2', '0.05']);
  });

  it('are described by a sentence with the first and the newest value', () => {
    expect(spokenChart('Right answers', [0, 10, 20], lines, { write: String })).toBe(
      'Right answers: team 0.5 at the start, 0.8 at iteration 20.',
    );
    expect(spokenChart('Entropy', [], [], { write: String })).toBe('Entropy: nothing measured yet.');
  });
});

it('the nearest position is the closer neighbour, or an end outside of all positions', () => {
  const places = [0, 2, 6];
  expect([-5, 0, 0.9, 1.1, 3.9, 4.1, 9].map((x) => nearest(places, x))).toEqual([0, 0, 0, 1, 1, 2, 2]);
  expect(nearest([], 3)).toBeNull();
});
