// The stage and the laboratory on WebGPU, emulated by SwiftShader: the formula of a token, its attention, a turn that
// is edited, a turn that is said again while the trainer uses the adapter too, and a same-luck fork.
import { expect } from 'vitest';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { step } from './contract.ts';
import { readStore } from './database.ts';

const settings =
  'preset=micro&seed=3&iterations=2&warmStart.steps=20&evaluation.problems=8&evaluation.every=1&run.checkpointEvery=1';
const slowly = { timeout: 100_000 };

test('the inspector, interventions and forks also compute on WebGPU', { timeout: 290_000 }, async ({ visit }) => {
  const { page } = await visit(`/?${settings}&backend=webgpu`, { webgpu: true });
  page.setDefaultTimeout(100_000);
  await step(page, 1);
  await expect.poll(() => page.getByRole('button', { name: /^WebGPU/ }).innerText()).toMatch(/swiftshader/i);

  const token = page.getByRole('button', { name: /, formula$/ }).first();
  await token.focus();
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: /^How .* enters the loss/ });
  await card.waitFor();
  const loss = await card
    .getByRole('math', { name: /^loss of the token =/ })
    .locator('b')
    .innerText();
  expect(loss).toMatch(/^= ?[−-]?\d+(\.\d+)?/);
  await page.getByText('Attention of the token').click();
  const read = page.getByRole('img', { name: /^Attention to \d+ tokens$/ });
  await read.waitFor(slowly);
  await expect.poll(() => read.locator('code').count()).toBeGreaterThan(1);

  await page.keyboard.press('e');
  const sheet = page.getByRole('dialog', { name: 'Try it yourself' });
  const says = sheet.getByRole('textbox', { name: /^Text of turn \d+$/ });
  await says.waitFor(slowly);
  await says.fill((await says.inputValue()) === '9' ? '8' : '9');
  await page.keyboard.press('Enter');
  await sheet.getByText(/^turn \d+ edited$/).waitFor(slowly);
  const compared = sheet.getByRole('table', { name: 'Both dialogues compared' });
  await compared.getByRole('row', { name: /^Reward/ }).waitFor(slowly);
  await sheet
    .getByRole('button', { name: /^Change turn \d+/ })
    .first()
    .click();
  await sheet.getByRole('button', { name: 'Say again' }).click();
  await sheet
    .getByText(/turn \d+ said again$/)
    .first()
    .waitFor(slowly);
  await compared.getByRole('row', { name: /^Reward/ }).waitFor(slowly);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Experiments' }).click();
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByLabel('Change').selectOption('learning.ratioLevel');
  await dialog.getByRole('combobox', { name: 'to', exact: true }).selectOption('token');
  await dialog.getByLabel('From').selectOption('1');
  await dialog.getByLabel('for iterations').fill('1');
  await dialog.getByRole('button', { name: 'Run both arms' }).click();
  await dialog.getByText(/^After iteration 2:/).waitFor({ timeout: 200_000 });
  const arms = (await readStore<RunRecord>(page, 'runs')).filter(({ experiment }) => experiment?.kind === 'sameLuck');
  expect(arms.map(({ backend, isDone }) => [backend, isDone])).toEqual([
    ['webgpu', true],
    ['webgpu', true],
  ]);
});
