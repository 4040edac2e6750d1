// A run whose checkpoints contain only the name of its model: it is exported in every form, viewed after its model is
// deleted, and continued when the file is open again, also in a browser that has neither the run nor the model.
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { heldGguf, heldSettings } from '../src/formats/testing/heldBase.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { iterationOf, step, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { download, faultsInBothThemes, libraryOf, modelsOf } from './visitor.ts';

const file = { name: 'theirs.gguf', mimeType: 'application/octet-stream', buffer: Buffer.from(heldGguf()) };
const link = `/?preset=micro&backend=cpu&${heldSettings.map(([path, value]) => `${path}=${String(value)}`).join('&')}`;
const patience = { timeout: 60_000 };

/** Opens the file under Models and sets up training with adapters for it, which stores it in the browser. */
async function bring(page: Page): Promise<void> {
  const dialog = await modelsOf(page);
  await dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)').setInputFiles(file);
  await dialog.getByRole('button', { name: 'Continue training with adapters' }).click(patience);
  await dialog.getByText('The model is stored in this browser').waitFor(patience);
  await dialog.getByRole('button', { name: 'Runs need it' }).waitFor(patience);
  await page.keyboard.press('Escape');
}

test('a run whose model was deleted opens for viewing with the reason, and resumes once its file is open', async ({
  open,
}) => {
  const page = await open(link);
  await bring(page);
  await untilState(page, ['idle']);
  await step(page, 1, 2);
  const [run] = await readStore<RunRecord>(page, 'runs');
  const name = run?.name ?? '';

  // The page exports a small adapter and a file for llama.cpp.
  const takeAway = page.locator('[data-place="takeAway"]');
  const adapter = takeAway.getByRole('button', { name: /^Adapter · / }).first();
  await adapter.waitFor();
  const label = (await adapter.textContent()) ?? '';
  const zip = await download(takeAway, label);
  expect(Object.keys(unzipSync(zip.bytes))).toContain('adapter_model.safetensors');
  const gguf = await download(takeAway, label.replace('Adapter', 'GGUF, 8 bits'));
  expect([gguf.name.endsWith('.gguf'), Buffer.from(gguf.bytes.subarray(0, 4)).toString()]).toEqual([true, 'GGUF']);

  // The archive is small without the model; the model is included if the visitor asks for it.
  const library = await libraryOf(page);
  const small = await download(library, `Save the run archive of ${name}`);
  const large = await download(library, `Save the run archive of ${name} with its model`);
  expect(large.bytes.length - small.bytes.length).toBeGreaterThan(file.buffer.length);
  await page.keyboard.press('Escape');

  // The model is deleted.
  const models = await modelsOf(page);
  await models.getByRole('button', { name: 'Delete theirs' }).click();
  await models.getByRole('button', { name: 'Delete theirs for good' }).click();
  await models.getByText('No models yet.').waitFor();
  await page.goto(`${new URL(page.url()).origin}/?preset=micro&backend=cpu&warmStart.source=none`);
  await untilState(page, ['idle']);
  const listed = await libraryOf(page);
  const agents = listed.getByRole('button', { name: `The agents of ${name}` });
  expect([await agents.isDisabled(), await agents.getAttribute('title')]).toEqual([
    true,
    expect.stringMatching(/needs the model theirs \(model-/),
  ]);
  await listed.getByText(/Open the model’s file under Models and keep it there/).waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await listed.getByRole('button', { name: 'Resume' }).click();
  const bar = page.getByRole('region', { name: 'A run without its model' });
  await bar
    .getByText(/theirs \(model-[0-9a-f]{16}, 17\.\d million parameters; theirs\.gguf, \d+ bytes/)
    .waitFor(patience);
  expect(await iterationOf(page)).toBe(2);
  await expect
    .poll(() => page.getByRole('button', { name: 'Step', exact: true }).getAttribute('aria-disabled'))
    .toBe('true');
  await page.locator('.stage').getByText(/\S/).first().waitFor();
  expect(await faultsInBothThemes(page, 'main')).toEqual([]);

  // The model's file is opened again.
  await bar.getByRole('button', { name: 'Open its model…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Models' });
  await dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)').setInputFiles(file);
  await dialog.getByRole('button', { name: 'Keep it in this browser' }).click(patience);
  await dialog.getByText('The model is stored in this browser').waitFor(patience);
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Resume' }).click();
  await untilState(page, ['paused']);
  await step(page, 3);
  await expect
    .poll(async () => (await libraryOf(page)).getByRole('button', { name: `The agents of ${name}` }).isEnabled())
    .toBe(true);
  await page.keyboard.press('Escape');

  // A browser that has neither the run nor the model continues the run from the archive that includes the model.
  const other = await open('/?preset=micro&backend=cpu&warmStart.source=none');
  const theirs = await libraryOf(other);
  await other
    .getByLabel('Open a run archive (zip)')
    .setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(large.bytes) });
  await theirs.getByText(name).first().waitFor(patience);
  await theirs.getByRole('button', { name: 'Resume' }).click();
  await untilIteration(other, 3);
});
