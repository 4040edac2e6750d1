import { expect, it } from 'vitest';
import type { Evaluation, PlaceMeasured } from '../../records/metrics.ts';
import { placeLines, placeRows } from './places.ts';

const place = (level: number, split: PlaceMeasured['split'], accuracy: number): PlaceMeasured => ({
  ...{ world: 'algebra', level, split, accuracy, low: accuracy - 0.05, high: accuracy + 0.05, problems: 256 },
  ...(split === 'heldOut' && { ceiling: 0.5 }),
});
const at = (iteration: number, places: PlaceMeasured[]) => ({ iteration, places }) as Evaluation;

it('the table has a row per level, with the first and the newest measurement', () => {
  const first = at(0, [place(1, 'heldOut', 0.4), place(1, 'harder', 0.2)]);
  const second = at(20, [place(1, 'heldOut', 0.8), place(1, 'harder', 0.3), place(2, 'heldOut', 0.1)]);
  expect(placeRows([first, second])).toEqual([
    {
      ...{ world: 'algebra', level: 1 },
      heldOut: {
        ...{ before: 0.4, now: 0.8, ceiling: 0.5 },
        title: '0.75 to 0.85, 95 % interval over 256 problems; the earlier value is from iteration 0',
      },
      harder: expect.objectContaining({ before: 0.2, now: 0.3, ceiling: undefined }) as unknown,
    },
    {
      ...{ world: 'algebra', level: 2, harder: null },
      heldOut: { before: null, now: 0.1, ceiling: 0.5, title: '0.05 to 0.15, 95 % interval over 256 problems' },
    },
  ]);
  expect(placeRows([])).toEqual([]);
});

it('the chart has a line for each world and level of the training problems', () => {
  const row = (iteration: number, values: Record<string, number>) => ({ iteration, values });
  const name = 'charts/training_accuracy';
  const rows = [
    row(1, { [name]: 0.5 }),
    row(2, { [name]: 0.5, [`${name}/algebra 1`]: 0.75, [`${name}/algebra 2`]: 0.25 }),
  ];
  expect(placeLines(name, rows)).toMatchObject([
    { label: 'Algebra 1', values: [null, 0.75] },
    { label: 'Algebra 2', values: [null, 0.25] },
  ]);
  expect(placeLines(name, rows.slice(0, 1))).toEqual([]);
});
