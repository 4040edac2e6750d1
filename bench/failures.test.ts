import { expect, it } from 'vitest';
import { houseRule } from '../src/tasks/houseRule/houseRule.ts';
import { Draws, streams } from '../src/base/random.ts';
import { parseConfig } from '../src/config/parse.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { arms, failures, type Arm } from './failures/plan.ts';
import { failureRow, verdict } from './failures/table.ts';
import type { BudgetRun } from './shared/trainUntil.ts';
import { benchConfig, plannedRows } from './learners/plan.ts';
import { shorten } from './shared/shortcuts.ts';

it('every arm has settings that can run, or names a row of the learners', () => {
  for (const { settings } of Object.values<Arm>(arms)) {
    if ('row' in settings) expect(plannedRows.map(({ name }) => name)).toContain(settings.row);
    else expect(benchConfig(settings, 3).run.seed).toBe(3);
  }
});

it('a failure has happened where the whole interval lies on its side, and far enough', () => {
  const within = (low: number, high: number) => ({ mean: (low + high) / 2, low, high });
  const [lower, higher] = [{ failing: 'lower', least: 0.02 } as const, { failing: 'higher', least: 0.02 } as const];
  expect(verdict(within(-0.3, -0.1), lower)).toBe('yes');
  expect(verdict(within(-0.3, 0.1), lower)).toBe('not shown');
  expect(verdict(within(0.1, 0.3), lower)).toBe('the other way');
  expect(verdict(within(0.1, 0.3), higher)).toBe('yes');
  expect(verdict(within(-0.012, -0.01), lower)).toBe('not shown');
});

it('arms are compared seed by seed, over the seeds that both have', () => {
  const named = (wanted: string) => failures.find(({ name }) => name === wanted) as (typeof failures)[0];
  const tooHigh = named('too high a rate');
  const run = (accuracy: number) =>
    ({ commit: 'a', seed: 1, result: { before: { accuracy: 0.5 }, after: { accuracy } } as BudgetRun }) as const;
  const [row] = failureRow(tooHigh, [run(0.1), run(0.2), run(0.3)], [run(0.8), run(0.8), null]);
  expect(row?.provoked.perSeed).toEqual([0.1, 0.2]);
  expect(row?.difference.mean).toBeCloseTo(-0.65, 10);
  expect(failureRow(tooHigh, [run(0.1), null], [run(0.8), run(0.8)])).toEqual([]);
  // Learning less is no collapse; falling below the start, here 0.5, is one.
  const fallen = (arm: number[]) =>
    failureRow(
      named('collapse'),
      arm.map(run),
      arm.map(() => run(0.9)),
    )[0];
  expect(fallen([0.6, 0.7, 0.6])).toMatchObject({ happened: 'not shown', provoked: { perSeed: [0, 0, 0] } });
  expect(fallen([0.2, 0.3, 0.25])?.happened).toBe('yes');
});

it('the shortcut keeps the first plan, the final answer and the finish', () => {
  const draws = new Draws(1, streams.demonstrations, 0);
  const { protocol } = assembleTeam(parseConfig({}));
  const problem = houseRule.draw(1, draws, 'training');
  const whole = houseRule.demonstrate(problem, draws, { goodPlans: 1, resultNoise: 0 }, protocol);
  const short = shorten(whole);
  expect(short.map(({ agent }) => agent)).toEqual([0, 1, 0]);
  expect(short.map(({ round }) => round)).toEqual([0, 0, 1]);
  expect(short.map(({ message }) => message)).toEqual([whole[0], whole[3], whole[4]].map((said) => said?.message));
});
