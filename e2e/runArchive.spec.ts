// A run saved as one file, opened in a browser that knows nothing of it, goes on there bit for bit.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Checkpoint, RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { iterationOf, step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { cut, download, faultsInBothThemes, fileOf } from './visitor.ts';

const micro = '/?preset=micro&backend=cpu&seed=11&evaluation.problems=16&iterations=4&run.checkpointEvery=1';

async function libraryOf(page: Page) {
  await page.getByRole('button', { name: 'Library of runs' }).click();
  return page.getByRole('dialog', { name: 'Library of runs' });
}
const openArchive = (page: Page, bytes: Uint8Array) =>
  page
    .getByLabel('Open a run archive (zip)')
    .setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(bytes) });

/** The newest weights of a page's only run. */
async function weightsOf(page: Page): Promise<number[][]> {
  const checkpoints = await readStore<Checkpoint>(page, 'checkpoints');
  const newest = checkpoints.find(({ iteration }) => iteration === 4);
  return (newest?.networks ?? []).flatMap(({ weights, m }) =>
    [...weights.map(({ values }) => values), ...m].map((values) => [...values]),
  );
}

test('a run saved after two iterations goes on elsewhere to the same weights', async ({ open }) => {
  const first = await open(micro);
  await step(first, 1, 2);
  const [run] = await readStore<RunRecord>(first, 'runs');
  const { name, bytes } = await download(await libraryOf(first), `Save the run archive of ${run?.name}`);
  expect(name).toBe(`${run?.name}.zip`);
  await first.keyboard.press('Escape');
  await step(first, 3);
  await first.keyboard.press('s');
  await untilState(first, ['done']);

  const page = await open('/?preset=micro&backend=cpu');
  const library = await libraryOf(page);
  await openArchive(page, bytes);
  await library.getByText('2 of 4').waitFor();
  expect(await cut(page, ['dialog'])).toEqual([]);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await library.getByRole('button', { name: 'Resume' }).click();
  await untilState(page, ['done']);
  expect(await iterationOf(page)).toBe(4);
  expect(await weightsOf(page)).toEqual(await weightsOf(first));

  await libraryOf(page);
  await openArchive(page, bytes);
  await page.getByText('it is stored here already').waitFor();
  await page.getByLabel('Open a run archive (zip)').setInputFiles(fileOf('run.zip', 'no archive'));
  await page.getByText('expected a zip').waitFor();
});
