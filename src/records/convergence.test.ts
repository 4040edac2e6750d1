import { expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { convergedFor, recentChange, stopsAfter } from './convergence.ts';
import type { Evaluation } from './metrics.ts';
import type { RunRecord } from './stored/checkpoint.ts';

const evaluation = (iteration: number, accuracy: number): Evaluation => ({
  ...{ iteration, accuracy, low: accuracy - 0.03, high: accuracy + 0.03 },
  ...{ problems: 512, bySlice: {}, ceiling: 0.67 },
});
/** Evaluations every ten iterations. */
const curve = (...accuracies: number[]) => accuracies.map((accuracy, i) => evaluation(10 * i, accuracy));

it('a team has converged if it is better than at the start and has been equally good for 30 iterations', () => {
  expect(convergedFor(curve(0.5, 0.8, 0.81, 0.8, 0.8, 0.8))).toBe(30);
  // The newest two evaluations are compared with the two before the 30 iterations: 0.8 with 0.65, and 0.82 with 0.795.
  expect(convergedFor(curve(0.5, 0.8, 0.81, 0.8, 0.8))).toBeNull();
  expect(convergedFor(curve(0.5, 0.79, 0.8, 0.8, 0.81, 0.83))).toBeNull();
  // One evaluation lies outside.
  expect(convergedFor(curve(0.5, 0.8, 0.81, 0.88, 0.8, 0.8))).toBeNull();
  expect(convergedFor([])).toBeNull();
});

it('a team that was nearly always right from the start has converged, and one that learns nothing has not', () => {
  expect(convergedFor(curve(0.95, 0.95, 0.96, 0.95))).toBe(30);
  expect(convergedFor(curve(0.5, 0.51, 0.5, 0.5))).toBeNull();
  expect(recentChange(curve(0.5, 0.51, 0.5, 0.5))).toEqual({ length: 30, isRising: false, isFlat: true });
  expect(recentChange(curve(0.5, 0.51, 0.5))).toBeNull();
});

it('a run stops for it only if its settings say so, and evaluations in another world do not count', () => {
  const run = (untilConverged: boolean, changes: RunRecord['changes'] = []) =>
    ({ config: parseConfig({ run: { untilConverged } }), changes }) as unknown as RunRecord;
  const evaluations = curve(0.5, 0.8, 0.81, 0.8, 0.8, 0.8);
  expect(stopsAfter({ run: run(true), evaluations })).toBe(30);
  expect(stopsAfter({ run: run(false), evaluations })).toBeNull();
  expect(stopsAfter({ run: null, evaluations })).toBeNull();
  const moved = [{ iteration: 15, path: 'world.level', value: 2 }];
  expect(stopsAfter({ run: run(true, moved), evaluations })).toBeNull();
});
