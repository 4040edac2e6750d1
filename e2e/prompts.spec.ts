// The prompts of a language model: the page shows them before a model is opened, and the visitor can change them. A
// prompt with an unknown placeholder is refused.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { faultsInBothThemes } from './visitor.ts';

test('prompts are shown and changed, and the example chat follows', async ({ open }) => {
  const page = await open('/?preset=countLegs&backend=cpu&warmStart.steps=1');
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: /^Agents, advanced: / }).click();
  const prompts = page.locator('.prompts');
  const request = prompts.getByLabel('ask.tell');
  await expect
    .poll(() => request.inputValue())
    .toBe('Write one short sentence that tells your friend which animals {owner} has.');
  await prompts.getByText(/^The Planner reads/).click();
  const chat = prompts.locator('dd').first();
  await expect
    .poll(() => chat.textContent())
    .toMatch(/^You know a secret: \w+ has an? \w+\. .* which animals \w+ has\.$/);
  await request.fill('Tell what {owner} has.');
  await request.blur();
  await prompts.locator('dd', { hasText: /Tell what \w+ has\.$/ }).waitFor();
  await request.fill('Tell what {nobody} has.');
  await request.blur();
  await prompts.getByRole('alert').filter({ hasText: '{nobody}' }).waitFor();
  await prompts.getByRole('button', { name: 'Usual words' }).click();
  await prompts.getByRole('alert').waitFor({ state: 'detached' });
  await expect.poll(() => request.inputValue()).toContain('which animals {owner} has');
  expect(await faultsInBothThemes(page)).toEqual([]);
});
