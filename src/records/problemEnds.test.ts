import fc from 'fast-check';
import { expect, it } from 'vitest';
import { problemEnds } from './problemEnds.ts';
import { trajectories } from './testing/arbitrary.ts';
import type { Trajectory } from './trajectory.ts';

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const { branch: _, ...whole } = sample;
const tried = (group: number, reward: number, isRight = false): Trajectory => ({
  ...whole,
  ...{ index: group, group, reward, isRight, finishCode: 0 },
});

it('problems that were tried once each are listed best first, of equal ones the right before the wrong', () => {
  expect(problemEnds([tried(0, 0.5), tried(1, 1, true), tried(2, 0), tried(3, 0.5, true)])).toEqual({
    group: [1, 3, 0, 2],
    reward: [1, 0.5, 0.5, 0],
    isRight: [true, true, false, false],
    finishCode: [0, 0, 0, 0],
  });
});

it('there is no such list of one problem, of several rollouts of one, nor of candidates', () => {
  expect(problemEnds([])).toBeUndefined();
  expect(problemEnds([tried(0, 1)])).toBeUndefined();
  expect(problemEnds([tried(0, 1), tried(0, 0), tried(1, 1)])).toBeUndefined();
  expect(problemEnds([tried(0, 1), tried(1, 1), { ...tried(1, 1), branch: { tree: 1, from: 0 } }])).toBeUndefined();
});
