import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import { collapseOf, wayBackWords } from './collapse.ts';

const evaluation = (iteration: number, accuracy: number): Evaluation => ({
  ...{ iteration, accuracy, low: accuracy - 0.04, high: accuracy + 0.04 },
  ...{ problems: 512, bySlice: {}, ceiling: 0.67 },
});
const run = (guard: boolean) => ({ config: parseConfig({ run: { guard } }), changes: [] }) as unknown as RunRecord;
const fell = [evaluation(0, 0.6), evaluation(10, 0.8), evaluation(20, 0.3)];

it('a fall counts if the guard is on, as on the page', () => {
  expect(collapseOf(run(true), fell)).toEqual({ from: 0.8, to: 0.3 });
  expect(collapseOf(run(false), fell)).toBeNull();
  expect(collapseOf(run(true), fell.slice(0, 2))).toBeNull();
  expect(collapseOf(run(true), [])).toBeNull();
});

it('evaluations from before a change of the level do not count, because they have other problems', () => {
  const moved = { ...run(true), changes: [{ iteration: 15, path: 'world.level', value: 2 }] };
  expect(collapseOf(moved, fell)).toBeNull();
});

it('if there is no checkpoint from before the fall, the program says so', () => {
  expect(wayBackWords(null, 'here')).toContain('There is no checkpoint from before this fall in here');
});
