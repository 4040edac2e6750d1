import { describe, expect, it } from 'vitest';
import { lineFigure, type LineChart } from './lineFigure.ts';

const chart: LineChart = {
  ...{ iterations: [0, 5, 12], levels: [{ label: 'best', value: 0.9 }], total: 10, summary: 'said' },
  marks: [{ iteration: 5, words: 'changed', isParting: true as const }],
  lines: [
    { label: 'team', colour: 'first', values: [0.5, null, 0.75], low: [0.25, null, 0.5], high: [0.75, null, 1] },
    { label: '', column: 'team · seed 1', colour: 'first', width: 0.8, values: [0.25, 0.375, null] },
    { label: 'team', colour: 'second', dash: [6, 3], values: [0, 0, 0], hasPoints: true },
  ],
  write: String,
};

describe('the curves of a chart as a figure', () => {
  const figure = lineFigure(chart, { title: 'Right answers', y: 'share', unit: 'x', source: 'Wilson' });

  it('have one row per iteration, and one column per curve and per end of its interval', () => {
    expect(figure.table).toEqual({
      columns: ['iteration', 'team', 'team low', 'team high', 'team · seed 1', 'team 2'],
      rows: [
        [0, 0.5, 0.25, 0.75, 0.25, 0],
        [5, null, null, null, 0.375, 0],
        [12, 0.75, 0.5, 1, null, 0],
      ],
    });
    expect(figure.marks.map((mark) => mark.y)).toEqual(['team', 'team · seed 1', 'team 2']);
    expect(figure.marks[0]).toMatchObject({ label: 'team', low: 'team low', high: 'team high', colour: 'first' });
    expect(figure.marks[2]).toMatchObject({ dash: [6, 3], hasPoints: true });
  });

  it('have ranges from 0 to beyond the largest numbers, with levels and marks', () => {
    expect(figure.x.range).toEqual([0, 12]);
    expect(figure.y.range).toEqual([0, 1.12]);
    expect([figure.y.label, figure.y.unit]).toEqual(['share', 'x']);
    expect(figure.levels).toEqual([{ label: 'best', value: 0.9 }]);
    expect(figure.events).toEqual([{ at: 5, words: 'changed', isParting: true }]);
  });

  it('have no numbers on the axis before the first value, unless the range is given', () => {
    const lines = [{ label: '', colour: 'ink' as const, values: [null, null, null] }];
    expect(lineFigure({ ...chart, lines }, { title: 'Right answers' }).y.ticks).toEqual([]);
    expect(lineFigure({ ...chart, lines, range: [0, 1] }, { title: 'Right answers' }).y.ticks).toBeUndefined();
    expect(figure.y.ticks).toBeUndefined();
  });
});
