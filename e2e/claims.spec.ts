// The tab with claims: thirty result files of a class are merged into one interval, and a claim is run in the browser.
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { claimDigest, readResultFile, writeResultFile } from '../src/formats/resultFile.ts';
import type { ClaimRecord } from '../src/records/claims/claimRecord.ts';
import { test } from './browser.ts';
import { cut, download, faultsInBothThemes, fileOf, isWide } from './visitor.ts';

const { rows } = JSON.parse(await readFile('bench/results/claims.json', 'utf8')) as { rows: ClaimRecord[] };
const collapse = rows.find(({ id }) => id === 'collapse') as ClaimRecord;
const digest = claimDigest(collapse) as string;
const pupil = (seed: number) =>
  writeResultFile([{ claim: 'collapse', digest, seed, values: [0.08 + (seed % 7) / 200, 0], backend: 'simd' }]);

test('thirty result files are merged and exported again, and a file of an unknown format is refused by name', async ({
  open,
}) => {
  const page = await open('/?preset=micro&backend=cpu');
  await page.getByRole('button', { name: 'Experiments' }).click();
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByRole('tab', { name: 'Claims' }).click();
  const card = dialog.getByRole('article', { name: collapse.statement });
  await card.getByText('shown here').waitFor();
  await card.getByText(`95 % interval over ${collapse.seeds.length} seeds`).waitFor();
  const files = Array.from({ length: 30 }, (_, i) => fileOf(`pupil-${i}.json`, pupil(100 + i)));
  const foreign = pupil(99).replace('"format": 1', '"format": 7');
  await dialog.getByLabel('Import result files').setInputFiles([...files, fileOf('foreign.json', foreign)]);
  await dialog.getByText('30 results added from 31 files.').waitFor();
  await dialog.getByText(/foreign\.json: the result file: expected format 1, got 7/).waitFor();
  await card.getByText(`95 % interval over ${collapse.seeds.length + 30} seeds, 30 of them added`).waitFor();
  const { text } = await download(dialog, 'Export results');
  expect(readResultFile(text).map(({ seed }) => seed)).toEqual(Array.from({ length: 30 }, (_, i) => 100 + i));
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  await card.getByText('Seeds and settings').click();
  expect(await cut(page, ['dialog .content'])).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });

  // After a reload, the results are still stored. A claim that runs here shows its progress and can be stopped.
  await page.reload();
  await page.getByRole('button', { name: 'Experiments' }).click();
  await dialog.getByRole('tab', { name: 'Claims' }).click();
  await card.getByText('30 of them added').waitFor();
  await card.getByRole('spinbutton', { name: 'Seed' }).fill(String(collapse.seeds[0]));
  await expect.poll(() => card.getByRole('button', { name: 'Run it here' }).isDisabled()).toBe(true);
  await card.getByRole('spinbutton', { name: 'Seed' }).fill('777');
  await card.getByRole('button', { name: 'Run it here' }).click();
  await dialog.getByText(/^Warm start of seed 777 · /).waitFor({ timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Stop it' }).click();
  await expect.poll(() => dialog.getByRole('progressbar').count()).toBe(0);
  await card.getByRole('button', { name: 'Forget added seeds' }).click();
  await card.getByText(`95 % interval over ${collapse.seeds.length} seeds`, { exact: true }).waitFor();
});
