import { describe, expect, it } from 'vitest';
import { extent, lastValue, spokenChart } from './chartLine.ts';
import { placeLabels, type LabelBox } from './labels.ts';

const box: LabelBox = { left: 0, right: 300, top: 0, bottom: 100, height: 12, gap: 4 };

describe('labels of lines', () => {
  it('stands to the right of the line’s end while there is room', () => {
    expect(placeLabels([{ text: 'team', x: 100, y: 50, width: 30 }], box)).toEqual([{ text: 'team', x: 106, y: 50 }]);
  });

  it('moves above the end of a line that reaches the right edge', () => {
    expect(placeLabels([{ text: 'team', x: 300, y: 50, width: 30 }], box)).toEqual([{ text: 'team', x: 270, y: 40 }]);
  });

  it('keeps labels of lines that end together apart', () => {
    const places = placeLabels(
      [
        { text: 'team', x: 100, y: 50, width: 30 },
        { text: 'plan hidden', x: 100, y: 51, width: 60 },
        { text: 'without a plan', x: 300, y: 52, width: 80, isAtEdge: true },
      ],
      box,
    );
    expect(places).toHaveLength(3);
    const [first, second] = places;
    expect(Math.abs((first?.y ?? 0) - (second?.y ?? 0))).toBeGreaterThanOrEqual(box.height);
  });

  it('leaves out what fits nowhere', () => {
    expect(placeLabels([{ text: 'long', x: 10, y: 50, width: 400 }], box)).toEqual([]);
  });
});

describe('chart data', () => {
  const lines = [{ label: 'team', colour: 'ink' as const, values: [0.5, null, 0.8], low: [0.4, null, 0.7] }];

  it('spans values, bands and levels', () => {
    expect(extent(lines, [{ label: '', value: 0.9 }])).toEqual([0.4, 0.9]);
    expect(extent([], [])).toBeNull();
  });

  it('ignores what is not a number at a line’s end', () => {
    expect(lastValue([1, 2, Number.NaN, null])).toEqual({ index: 1, value: 2 });
  });

  it('tells the first and the newest value in a sentence', () => {
    expect(spokenChart('Right answers', [0, 10, 20], lines, String)).toBe(
      'Right answers: team 0.5 at first, 0.8 at iteration 20.',
    );
    expect(spokenChart('Entropy', [], [], String)).toBe('Entropy: nothing measured yet.');
  });
});
