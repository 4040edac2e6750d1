// A run that was saved as one file continues bit for bit in a browser that has never stored it. It also continues on
// the command line, and the page opens the resulting archive.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Checkpoint, RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { iterationOf, step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { cut, download, drop, faultsInBothThemes, fileOf, libraryOf } from './visitor.ts';

const micro = '/?preset=micro&backend=cpu&seed=11&evaluation.problems=16&iterations=4&run.checkpointEvery=1';

const cothink = (...args: string[]) => promisify(execFile)(process.execPath, ['dist-cli/main.mjs', ...args]);

const openArchive = (page: Page, bytes: Uint8Array) =>
  page
    .getByLabel('Open a run archive (zip)')
    .setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(bytes) });

/** Returns the newest weights and moments of the only run of a page. */
async function weightsOf(page: Page): Promise<number[][]> {
  const checkpoints = await readStore<Checkpoint>(page, 'checkpoints');
  const newest = checkpoints.find(({ iteration }) => iteration === 4);
  return (newest?.networks ?? []).flatMap(({ weights, m }) =>
    [...weights.map(({ values }) => values), ...m].map((values) => [...values]),
  );
}

test('a run saved after two iterations reaches the same weights in another browser and on the command line', async ({
  open,
}) => {
  const first = await open(micro);
  await step(first, 1, 2);
  const [run] = await readStore<RunRecord>(first, 'runs');
  const { name, bytes } = await download(await libraryOf(first), `Save the run archive of ${run?.name}`);
  expect(name).toBe(`${run?.name}.zip`);
  await first.keyboard.press('Escape');
  await step(first, 3);
  await first.keyboard.press('s');
  await untilState(first, ['done']);

  // The command line continues the same run.
  const folder = await mkdtemp(path.join(tmpdir(), 'cothink-'));
  await writeFile(path.join(folder, 'run.zip'), bytes);
  await cothink('import', path.join(folder, 'run.zip'), '--out', path.join(folder, 'run'));
  await cothink('train', '--resume', '--out', path.join(folder, 'run'));
  const trained = await readFile(path.join(folder, 'run', `${run?.name}.zip`));

  await rm(folder, { recursive: true });

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

  const other = await open('/?preset=micro&backend=cpu');
  expect(await drop(other, 'run.zip', trained)).toEqual([false, false]);
  await expect.poll(async () => (await readStore<RunRecord>(other, 'runs')).length).toBe(1);
  await libraryOf(other);
  await other.getByText('4 of 4').waitFor();
  // The last digit of `**` differs between Node 20 and newer browsers.
  const [ours, theirs] = [(await weightsOf(other)).flat(), (await weightsOf(first)).flat()];
  expect(Math.max(...ours.map((value, i) => Math.abs(value - (theirs[i] ?? Number.NaN))))).toBeLessThan(1e-5);

  await libraryOf(page);
  await openArchive(page, bytes);
  await page.getByText('this run is already stored here').waitFor();
  await page.getByLabel('Open a run archive (zip)').setInputFiles(fileOf('run.zip', 'no archive'));
  await page.getByText('expected a zip').waitFor();
});

test('an archive that the page or the command line opens and saves again has the same bytes in every record', async ({
  open,
}) => {
  const first = await open(micro);
  await step(first, 1, 2);
  const [run] = await readStore<RunRecord>(first, 'runs');
  const save = `Save the run archive of ${run?.name}`;
  const { bytes } = await download(await libraryOf(first), save);
  const folder = await mkdtemp(path.join(tmpdir(), 'cothink-'));
  const at = (name: string) => path.join(folder, name);

  /** Opens the archive in a browser that has never stored the run, and returns the archive that this page saves. */
  const throughPage = async (archive: Uint8Array) => {
    const page = await open('/?preset=micro&backend=cpu');
    const library = await libraryOf(page);
    await openArchive(page, archive);
    await library.getByRole('button', { name: save, exact: true }).waitFor();
    return (await download(library, save)).bytes;
  };
  const throughProgram = async (archive: Uint8Array, name: string) => {
    await writeFile(at('taken.zip'), archive);
    await cothink('import', at('taken.zip'), '--out', at(name));
    await cothink('export', at(name), '--as', 'archive', '--out', at(`${name}.zip`));
    return readFile(at(`${name}.zip`));
  };
  const wanted = unzipSync(bytes);
  expect(Object.keys(wanted).filter((name) => name.endsWith('.record')).length).toBeGreaterThan(4);
  expect(unzipSync(await throughPage(bytes))).toEqual(wanted);
  const byProgram = await throughProgram(bytes, 'taken');
  expect(unzipSync(byProgram)).toEqual(wanted);
  expect(unzipSync(await throughPage(byProgram))).toEqual(wanted);

  // The page does not change the archive of a run that the command line has continued.
  await cothink('train', '--resume', '--out', at('taken'));
  const trained = await readFile(at(path.join('taken', `${run?.name}.zip`)));
  expect(unzipSync(await throughPage(trained))).toEqual(unzipSync(trained));
  await rm(folder, { recursive: true });
});
