// Tests which problem is shown before and now: one that was not solved before training, and one that is solved now as
// soon as there is one.
import { expect, it } from 'vitest';
import { runId, type RunId } from '../../records/ids.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { BeforeAndNow, type Moment } from './beforeAndNow.svelte.ts';

/** A team that solves these problems with the weights after each iteration, of `problems` held-out problems. */
function team(solved: Readonly<Record<number, readonly number[]>>, problems = 64, plain: readonly number[] = []) {
  const asked: string[] = [];
  const view = {
    run: { id: runId('calm-otter') } as { id: RunId } | null,
    checkpoints: [0],
    evaluations: [{ iteration: 0, problems }],
  };
  /** A checkpoint at which the team is evaluated. */
  const reach = (iteration: number) => {
    view.checkpoints.push(iteration);
    view.evaluations.push({ iteration, problems });
  };
  const notices = { attempt: async (work: () => Promise<unknown>) => work() };
  const look = (kind: string, { iteration, problem }: { iteration: number; problem: number }) => {
    if (kind === 'plainProblems') return Promise.resolve(plain);
    asked.push(`${iteration}:${problem}`);
    if (problem >= problems) return Promise.reject(new Error(`no problem ${problem}`));
    const isRight = solved[iteration]?.includes(problem) ?? false;
    return Promise.resolve({ isRight, problem: { id: `${problem}` } } as Trajectory);
  };
  return { shown: new BeforeAndNow({ trainer: { view, look }, notices } as never), asked, reach, view };
}

const told = (moment: Moment | null) =>
  moment && [moment.iteration, moment.trajectory.problem.id, moment.trajectory.isRight];

it('the first unsolved problem is shown, and then one that has been solved', async () => {
  const { shown, reach, asked } = team({ 0: [0, 2], 10: [0, 2], 20: [0, 2, 4], 30: [] });
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([[0, '1', false], null]);
  reach(10);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '1', false],
    [10, '1', false],
  ]);
  reach(20);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '4', false],
    [20, '4', true],
  ]);
  // A team that has forgotten the solution is shown with the same problem.
  reach(30);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '4', false],
    [30, '4', false],
  ]);
  const count = asked.length;
  await shown.refresh();
  expect(asked).toHaveLength(count);
});

it('problems that need no explanation are tried first', async () => {
  const { shown, reach, asked } = team({ 0: [7], 10: [30] }, 64, [7, 30, 31]);
  await shown.refresh();
  expect(told(shown.before)).toEqual([0, '30', false]);
  expect(asked).toEqual(['0:7', '0:30', '0:31', '0:0', '0:1']);
  reach(10);
  await shown.refresh();
  expect(told(shown.now)).toEqual([10, '30', true]);
});

it('a team that solves everything is shown with a solved problem', async () => {
  const all = Array.from({ length: 100 }, (_, problem) => problem);
  const { shown, reach } = team({ 0: all, 10: all });
  reach(10);
  await shown.refresh();
  expect([shown.before?.trajectory.isRight, shown.now?.trajectory.isRight]).toEqual([true, true]);
});

it('nothing is shown without a checkpoint, or of a former run', async () => {
  const { shown, view } = team({});
  view.checkpoints = [];
  await shown.refresh();
  expect(shown.before).toBeNull();
  view.checkpoints = [0];
  await shown.refresh();
  expect(shown.before).not.toBeNull();
  view.run = null;
  await shown.refresh();
  expect(shown.before).toBeNull();
});

it('requests that arrive meanwhile are answered by one more reading', async () => {
  const { shown, reach, asked } = team({ 10: [0] });
  const first = shown.refresh();
  reach(10);
  await Promise.all([first, shown.refresh(), shown.refresh()]);
  expect(told(shown.now)).toEqual([10, '0', true]);
  expect(asked.filter((one) => one === '0:0')).toHaveLength(1);
});

it('only problems of the evaluation are asked', async () => {
  const { shown, reach } = team({ 0: [0, 1, 2, 3, 5, 6, 7], 10: [4] }, 8);
  reach(10);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '4', false],
    [10, '4', true],
  ]);
});

it('a checkpoint without an evaluation is not asked, and after going back to the start nothing is shown as now', async () => {
  const { shown, view, asked } = team({ 5: [0] });
  view.checkpoints.push(5);
  await shown.refresh();
  expect(asked.filter((one) => one.startsWith('5:'))).toEqual([]);
  view.evaluations.push({ iteration: 5, problems: 64 });
  await shown.refresh();
  expect(told(shown.now)).toEqual([5, '0', true]);
  [view.checkpoints, view.evaluations] = [[0], view.evaluations.slice(0, 1)];
  await shown.refresh();
  expect(shown.now).toBeNull();
});

it('dialogues of another run that is opened meanwhile are not shown', async () => {
  const { shown, view } = team({});
  const reading = shown.refresh();
  view.run = { id: runId('brave-heron') };
  await reading;
  expect(shown.before).toBeNull();
});

it('a chosen checkpoint is shown until the newest one is chosen again, with the problem that is shown', async () => {
  const { shown, reach } = team({ 10: [1], 20: [1], 30: [0] });
  for (const iteration of [10, 20]) reach(iteration);
  await shown.refresh();
  expect([shown.evaluated, told(shown.displayed)]).toEqual([
    [0, 10, 20],
    [20, '1', true],
  ]);
  await shown.choose(0);
  expect(told(shown.displayed)).toEqual([0, '1', false]);
  await shown.choose(10);
  expect(told(shown.displayed)).toEqual([10, '1', true]);
  // Another problem takes its turn, because the team has forgotten this one.
  reach(30);
  await shown.refresh();
  expect([told(shown.now), told(shown.displayed)]).toEqual([
    [30, '0', true],
    [10, '0', false],
  ]);
  await shown.choose(null);
  expect(told(shown.displayed)).toEqual([30, '0', true]);
});

it('the answer to a former choice does not replace a later one', async () => {
  const { shown, reach } = team({});
  reach(10);
  await shown.refresh();
  await Promise.all([shown.choose(0), shown.choose(10)]);
  expect(told(shown.displayed)).toEqual([10, '0', false]);
});
