// The agents of a paused run get parameters of their own: the run continues as a fork, and the original run is kept.
import { expect } from 'vitest';
import { forkName } from '../src/config/runName.ts';
import type { Checkpoint, RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { readStore } from './database.ts';

const few =
  'preset=default&backend=cpu&iterations=4&learning.problemsPerIteration=4&evaluation.problems=16&evaluation.every=2';

test('a paused run continues as a fork with an adapter for each turn, and the original run is kept', async ({
  open,
}) => {
  const page = await open(`/?${few}`);
  const parting = page.getByRole('group', { name: 'Continue with' });
  await expect.poll(() => parting.count()).toBe(0);
  for (const done of ['1', '2']) {
    await page.getByRole('button', { name: 'Step' }).click();
    await page.waitForFunction((wanted) => document.documentElement.dataset['iteration'] === wanted, done);
    await untilState(page, ['paused']);
  }
  await parting.getByRole('button', { name: 'LoRA adapters by turn', exact: true }).click();
  const origin = page.getByText(/^This run continues .* after iteration 2\.$/);
  await origin.waitFor();
  await untilState(page, ['paused']);
  // The message is read immediately, because it disappears after a few seconds.
  const kept = await page.getByText(/ is kept in the library\.$/).innerText();
  expect(await page.evaluate(() => document.documentElement.dataset['iteration'])).toBe('2');
  await expect.poll(() => parting.count()).toBe(0);

  const runs = await readStore<RunRecord>(page, 'runs');
  const parent = runs.find(({ forkedFrom }) => !forkedFrom) as RunRecord;
  const forked = runs.find(({ forkedFrom }) => forkedFrom) as RunRecord;
  expect(runs).toHaveLength(2);
  expect(forked.name).toBe(forkName(parent.name, { mode: 'loraByTurn' }));
  expect(forked.forkedFrom).toMatchObject({ id: parent.id, name: parent.name, iteration: 2 });
  await page.getByText(forked.name, { exact: true }).first().waitFor();
  expect(kept).toBe(`${parent.name} is kept in the library.`);

  await page.getByRole('button', { name: 'Train' }).click();
  await untilState(page, ['done']);
  const newest = (await readStore<Checkpoint>(page, 'checkpoints')).filter(({ runId }) => runId === forked.id).at(-1);
  expect(newest?.iteration).toBe(4);
  expect(newest?.networks).toHaveLength(8);
  expect(newest?.base).toBeDefined();
  const metrics = await readStore<{ runId: string; iteration: number }>(page, 'metrics');
  expect(metrics.filter(({ runId }) => runId === forked.id).map(({ iteration }) => iteration)).toEqual([3, 4]);
  expect(metrics.filter(({ runId }) => runId === parent.id).map(({ iteration }) => iteration)).toEqual([1, 2]);

  // The library lists the fork after a reload.
  await page.reload();
  await page.getByRole('button', { name: 'Library of runs' }).click();
  await page.getByRole('dialog').getByText(forked.name).first().waitFor();
});
