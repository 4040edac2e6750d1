// Pictures of the stage: before and during a run, in slow motion, with a question of the visitor, and of its dialogs.
import type { Page } from 'playwright-core';
import { test } from '../browser.ts';
import { untilIteration, untilState } from '../contract.ts';
import { shoot } from './shoot.ts';

const address = '/?backend=cpu&seed=11&evaluation.problems=64&evaluation.every=5&view=stage';
const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

test('before and during a run, with a question', async ({ open }) => {
  const page = await open(address);
  await page.getByRole('figure').first().waitFor();
  await shoot(page, 'stageBefore');
  await click(page, 'Let them learn');
  await untilIteration(page, 16);
  await page.getByRole('slider').waitFor();
  await shoot(page, 'stageTraining');
  await click(page, 'Pause');
  await untilState(page, ['paused']);
  await click(page, 'Ask them');
  await page.locator('.ask .verdict').nth(1).waitFor();
  await shoot(page, 'stageAsked');
});

test('in slow motion', async ({ open }) => {
  const page = await open(address);
  await click(page, 'In slow motion');
  await page.getByRole('toolbar').waitFor({ timeout: 60_000 });
  for (const step of ['Check', 'Compare', 'Push']) {
    await click(page, step);
    await shoot(page, `stage${step}`);
  }
});

test('the gallery and the link', async ({ open }) => {
  const page = await open(address);
  await click(page, 'Other problems');
  await page
    .getByText(/^before training/)
    .first()
    .waitFor();
  await shoot(page, 'gallery');
  await page.keyboard.press('Escape');
  await click(page, 'Share');
  await page.getByRole('img', { name: 'QR code of this link' }).waitFor();
  await shoot(page, 'share');
});
