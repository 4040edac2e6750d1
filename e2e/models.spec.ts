// A model from one GGUF file: it is dropped on the page, talked to, trained, stored, and available after a reload.
// COTHINK_MODEL=FILE.gguf names the file. Without it, the test makes a tiny one.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, step, untilIteration, untilState } from './contract.ts';
import { modelFile, sampleModel } from './sampleModel.ts';
import { faultsInBothThemes, modelsOf } from './visitor.ts';

const few =
  'learning.problemsPerIteration=1&learning.groupSize=2&evaluation.problems=12&run.iterations=4&run.checkpointEvery=1';
const link = `/?preset=passItOn&backend=cpu&agents.loraRank=4&${few}`;
const patienceMs = 120_000;

const choose = (dialog: Locator, ...given: Parameters<Locator['setInputFiles']>) =>
  dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)').setInputFiles(...given);

/** Drops a file on the page, as a visitor does from a folder. */
const drop = (page: Page, name: string, content: Buffer) =>
  page.evaluate(
    ([called, text]) => {
      const bytes = Uint8Array.from(atob(text as string), (sign) => sign.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], called as string));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, content.toString('base64')],
  );

/** Returns the names in the private file system of the page. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const all = await (await navigator.storage.getDirectory()).getDirectoryHandle('models', { create: true });
    const names: string[] = [];
    for await (const name of (all as unknown as { keys: () => AsyncIterable<string> }).keys()) names.push(name);
    return names;
  });

test('a model from a dropped GGUF file answers, is trained, and is available after a reload', async ({ open }) => {
  const page = await open(link);
  const given = process.env['COTHINK_MODEL'];
  if (given) await choose(await modelsOf(page), given);
  else await drop(page, 'theirs.gguf', sampleModel());
  const dialog = page.getByRole('dialog', { name: 'Models' });
  const train = dialog.getByRole('button', { name: 'Continue training with adapters' });
  await train.waitFor({ timeout: patienceMs });
  await dialog.getByText(/Storing it takes .* that are free in this browser/).waitFor();
  expect(await kept(page)).toEqual([]);
  const chat = dialog.getByRole('region', { name: 'Chat' });
  await chat.getByText('How it answers').click();
  await chat.getByLabel('max tokens').fill('6');
  await chat.getByLabel('Say to the model').fill('two and two');
  await chat.getByRole('button', { name: 'Say', exact: true }).click();
  await chat.getByText(/first token after .* tokens\/s/).waitFor({ timeout: patienceMs });
  await chat.getByText('The prompt as the model reads it').click();
  await chat.getByRole('region', { name: 'The prompt as the model reads it' }).getByText('two and two').waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await train.click();
  await dialog.getByText('The model is stored in this browser').waitFor({ timeout: patienceMs });
  await dialog.getByRole('button', { name: 'Runs need it' }).waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  const [name = ''] = await kept(page);
  expect(name).toMatch(/^model-[0-9a-f]{16}$/);
  await page.keyboard.press('Escape');
  await untilState(page, ['idle']);
  await step(page, 1, 2);
  // The visitor may type any text for an agent; the page shows the chat before it in the form that the model reads.
  await page.getByRole('button', { name: 'Ask your own problem' }).click();
  const tried = page.getByRole('dialog', { name: 'Try it yourself' });
  await tried.getByRole('table', { name: 'Both dialogues compared' }).waitFor({ timeout: patienceMs });
  await tried.getByRole('combobox', { name: 'Reasoner' }).last().selectOption('you');
  await tried.getByText('Your friend says: ').last().waitFor({ timeout: patienceMs });
  await tried.getByRole('textbox', { name: 'Message of Reasoner' }).fill('Öh?');
  await page.keyboard.press('Enter');
  await tried.getByRole('listitem').filter({ hasText: 'Öh?' }).waitFor({ timeout: patienceMs });
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.reload();
  await untilState(page, ['idle', 'paused']);
  // Neither a new run on this model nor the interrupted one needs the file again.
  const again = await modelsOf(page);
  await again.getByText('apache-2.0').first().waitFor();
  await again
    .getByRole('region', { name: 'Kept in this browser' })
    .getByRole('button', { name: /^Open / })
    .click();
  await train
    .or(again.getByRole('button', { name: 'Runs need it' }))
    .first()
    .waitFor({ timeout: patienceMs });
  await page.keyboard.press('Escape');
  await page.goto(`${new URL(page.url()).origin}${link}&agents.start=${name}`);
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Resume' }).click();
  await untilIteration(page, 3);
  expect(await iterationOf(page)).toBeGreaterThan(2);
});

test('a preset for language models asks for a model, says what it costs, and trains', async ({ open }) => {
  const page = await open('/?preset=followThePlan&backend=cpu');
  await page.getByText('No model yet').waitFor();
  const header = page.getByRole('banner').getByRole('button', { name: 'Train', exact: true });
  await expect.poll(() => header.getAttribute('title')).toBe('Open a language model first');
  await expect.poll(() => page.getByRole('button', { name: 'Prepare', exact: true }).count()).toBe(0);
  await page.getByRole('region', { name: 'A language model is needed' }).getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'Models' });
  await choose(dialog, modelFile('theirs.gguf'));
  const gallery = dialog.getByRole('region', { name: 'What this model can learn' });
  await gallery.getByRole('button', { name: 'Choose Pass it on' }).click();
  await gallery.getByText(/per iteration, .* to the end/).waitFor({ timeout: patienceMs });
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await gallery.getByRole('button', { name: 'Train', exact: true }).click();
  await untilIteration(page, 1);
  await expect.poll(() => dialog.isVisible()).toBe(false);
  await expect.poll(() => page.getByRole('combobox', { name: 'Preset' }).inputValue()).toBe('passItOn');
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilState(page, ['paused']);
});

test('an incomplete file and a model of another family are refused by name, and no partial copy is left', async ({
  open,
}) => {
  const page = await open('/?preset=micro&backend=cpu&warmStart.source=none');
  const dialog = await modelsOf(page);
  const whole = sampleModel();
  await choose(dialog, modelFile('cut.gguf', whole.subarray(0, whole.length - 4096)));
  await dialog.getByText(/cut\.gguf: GGUF: .* is the file complete\?/).waitFor();
  await choose(dialog, modelFile('other.gguf', sampleModel({ family: 'phi3' })));
  await dialog.getByText(/general\.architecture: expected llama, qwen2, qwen3, gemma3, got "phi3"/).waitFor();
  expect(await kept(page)).toEqual([]);
  // The next page removes a partial copy that a closed page left behind.
  await page.evaluate(async () => {
    const all = await (await navigator.storage.getDirectory()).getDirectoryHandle('models', { create: true });
    await all.getDirectoryHandle('model-0123456789abcdef', { create: true });
  });
  await page.keyboard.press('Escape');
  await modelsOf(page);
  await expect.poll(() => kept(page)).toEqual([]);
  // A stored model can be deleted for good.
  await choose(dialog, modelFile('theirs.gguf', whole));
  await dialog.getByRole('button', { name: 'Keep it in this browser' }).click();
  await dialog.getByText('The model is stored in this browser').waitFor();
  expect(await kept(page)).toHaveLength(1);
  await dialog.getByRole('button', { name: 'Delete theirs' }).click();
  await dialog.getByRole('button', { name: 'Delete theirs for good' }).click();
  await dialog.getByText('No models yet.').waitFor();
  expect(await kept(page)).toEqual([]);
});

test('reading a model can be cancelled, and then the model can be read again', async ({ open }) => {
  const page = await open('/?preset=micro&backend=cpu&warmStart.source=none');
  // The file is read too quickly to cancel, so the script of the reading worker is delayed.
  let answer = () => undefined as void;
  const isAsked = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/readModel-[\w-]+\.js/, async (route) => {
    await isAsked;
    await route.continue().catch(() => undefined);
  });
  const dialog = await modelsOf(page);
  await choose(dialog, modelFile('theirs.gguf'));
  await dialog.getByText('Reading the model.').waitFor();
  await dialog.getByRole('progressbar', { name: 'Share read' }).waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByText('Reading the model.').waitFor({ state: 'detached' });
  answer();
  expect(await kept(page)).toEqual([]);
  await choose(dialog, modelFile('theirs.gguf'));
  await dialog.getByRole('button', { name: 'Continue training with adapters' }).waitFor({ timeout: patienceMs });
});

test('storing a model can be cancelled: no partial copy is left, and the model is still open', async ({ open }) => {
  const page = await open('/?preset=micro&backend=cpu&warmStart.source=none');
  const dialog = await modelsOf(page);
  await choose(dialog, modelFile('theirs.gguf'));
  const keep = dialog.getByRole('button', { name: 'Keep it in this browser' });
  await keep.waitFor({ timeout: patienceMs });
  // The test holds the lock as another tab would, because storing this short file would end too soon.
  const letGo = await page.evaluateHandle(async () => {
    const name = /model-[0-9a-f]{16}/.exec(document.querySelector('dialog[open]')?.textContent ?? '')?.[0] ?? '';
    let free = () => undefined as void;
    await new Promise<void>((isHeld) => {
      void navigator.locks.request(`cothink-${name}`, () => {
        isHeld();
        return new Promise<void>((resolve) => (free = resolve));
      });
    });
    return { free };
  });
  await keep.click();
  await dialog.getByRole('progressbar', { name: 'Share stored' }).waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByText(/Storing it takes .* that are free in this browser/).waitFor();
  await letGo.evaluate(({ free }) => free());
  expect(await kept(page)).toEqual([]);
  await keep.click();
  await dialog.getByText('The model is stored in this browser').waitFor({ timeout: patienceMs });
  expect(await kept(page)).toHaveLength(1);
});
