// Tests which problem is shown before and now: one that was not solved before training, and one that is solved now as
// soon as there is one.
import { expect, it } from 'vitest';
import { runId } from '../../records/ids.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { BeforeAndNow, type Moment } from './beforeAndNow.svelte.ts';

/** A team that solves these problems with the weights after each iteration. */
function team(solved: Readonly<Record<number, readonly number[]>>) {
  const run = { id: runId('calm-otter') };
  const asked: string[] = [];
  const checkpoints = [0];
  const view = { run: run as { id: typeof run.id } | null };
  const notices = { attempt: async (work: () => Promise<unknown>) => work() };
  const look = (_: 'heldOut', { iteration, problem }: { iteration: number; problem: number }) => {
    asked.push(`${iteration}:${problem}`);
    const isRight = solved[iteration]?.includes(problem) ?? false;
    return Promise.resolve({ isRight, problem: { id: `${problem}` } } as Trajectory);
  };
  const parts = { trainer: { view, look }, notices } as never;
  const shown = new BeforeAndNow(parts, () => Promise.resolve(view.run ? [...checkpoints] : []));
  return { shown, asked, checkpoints, view };
}

const told = (moment: Moment | null) =>
  moment && [moment.iteration, moment.trajectory.problem.id, moment.trajectory.isRight];

it('the first unsolved problem is shown, and then one that has been solved', async () => {
  const { shown, checkpoints, asked } = team({ 0: [0, 2], 10: [0, 2], 20: [0, 2, 4], 30: [] });
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([[0, '1', false], null]);
  checkpoints.push(10);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '1', false],
    [10, '1', false],
  ]);
  checkpoints.push(20);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '4', false],
    [20, '4', true],
  ]);
  // A team that has forgotten the solution is shown with the same problem.
  checkpoints.push(30);
  await shown.refresh();
  expect([told(shown.before), told(shown.now)]).toEqual([
    [0, '4', false],
    [30, '4', false],
  ]);
  const count = asked.length;
  await shown.refresh();
  expect(asked).toHaveLength(count);
});

it('a team that solves everything is shown with a solved problem', async () => {
  const all = Array.from({ length: 100 }, (_, problem) => problem);
  const { shown, checkpoints } = team({ 0: all, 10: all });
  checkpoints.push(10);
  await shown.refresh();
  expect([shown.before?.trajectory.isRight, shown.now?.trajectory.isRight]).toEqual([true, true]);
});

it('nothing is shown without a checkpoint, or of a former run', async () => {
  const { shown, checkpoints, view } = team({});
  checkpoints.pop();
  await shown.refresh();
  expect(shown.before).toBeNull();
  checkpoints.push(0);
  await shown.refresh();
  expect(shown.before).not.toBeNull();
  view.run = null;
  await shown.refresh();
  expect(shown.before).toBeNull();
});

it('requests that arrive meanwhile are answered by one more reading', async () => {
  const { shown, checkpoints, asked } = team({ 10: [0] });
  const first = shown.refresh();
  checkpoints.push(10);
  await Promise.all([first, shown.refresh(), shown.refresh()]);
  expect(told(shown.now)).toEqual([10, '0', true]);
  expect(asked.filter((one) => one === '0:0')).toHaveLength(1);
});
