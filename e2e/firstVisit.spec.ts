// The texts for a first visitor: before anything is pressed, while the team learns, and at the end.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

test('a first visitor reads what will happen, then the progress, and at the end the result', async ({ open }) => {
  const page = await open('/?backend=cpu&seed=11&iterations=8&evaluation.every=2&lang=en', {
    contextOptions: { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
  });
  const told = page.getByRole('region', { name: 'What happens here' });
  // The example is the sum on the stage, which the team does not solve yet. No number in its steps is below 0.
  const onStage = page.locator('[data-place="problem"]');
  const sum = await onStage.locator('code.sum').innerText();
  await told.getByText(sum, { exact: true }).waitFor();
  const turns = await told.getByRole('listitem').allInnerTexts();
  expect(turns.map((turn) => turn.split(/\s/)[0])).toEqual(['Planner', 'Reasoner', 'Planner', 'Reasoner']);
  expect(turns.join(' ')).not.toContain('Below 0');
  const right = /right:\s*(\d)/.exec(await onStage.innerText())?.[1] ?? 'the team was right';
  expect(turns[3]).toMatch(new RegExp(`Reasoner\\s+${right}\\s`));
  await told.getByText(/Before training, the team answers \d\. The steps are shown below\./).waitFor();
  // Nothing is animated if the visitor prefers reduced motion.
  expect(await told.evaluate((element) => element.getAnimations({ subtree: true }).length)).toBe(0);
  await told.getByRole('button', { name: 'house rule' }).click();
  await page.getByText('only the planner sees it.').waitFor();
  await page.keyboard.press('Escape');
  expect(await faultsInBothThemes(page, '.first')).toEqual([]);
  // The text shows the forecast that was measured for the settings.
  await told.getByText(/Everything takes [\d to]+ (s|min)\. Nothing leaves this machine\./).waitFor();
  // The few iterations may be over before the test looks, so a function inside the page waits for the sentence.
  const saidMeanwhile = page.waitForFunction(
    () =>
      Number(document.documentElement.dataset['iteration']) >= 2 &&
      /of 100 new sums come out right/.test(document.querySelector('.first')?.textContent ?? ''),
    null,
    { timeout: 120_000 },
  );
  const begins = told.getByRole('button', { name: 'Let them learn' });
  await begins.focus();
  await Promise.all([saidMeanwhile, page.keyboard.press('Enter')]);
  // The button has disappeared, and the focus moves to the dialogue below it, not to the top of the page.
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('dialogue');
  await untilState(page, ['done']);
  await expect.poll(() => told.getByRole('listitem').count()).toBe(2);
  await told.getByText(/Before training 58 of 100 new sums came out right/).waitFor();
  await expect.poll(() => told.getByRole('link').getAttribute('href')).toBe('?lesson=twoMinds&lang=en');
  expect(await faultsInBothThemes(page, '.first')).toEqual([]);
  await told.getByRole('button', { name: 'A world of your own' }).click();
  await page.getByRole('dialog', { name: 'Worlds of your own' }).waitFor();
});

test('the numbers of a turn can be opened on a narrow page, and all rules that fit the sum are named', async ({
  open,
}) => {
  const page = await open('/?backend=cpu&seed=11&evaluation.problems=16', {
    contextOptions: { viewport: { width: 390, height: 844 } },
  });
  // Before training, the page shows a problem that only one rule fits. The first problem in training is 2 + 2 × 2,
  // which two rules solve in the same order.
  await step(page, 1);
  await page.getByText(/by “right to left and multiplication first”:/i).waitFor();
  await page.getByRole('button', { name: /^advantage [+−]/ }).click();
  await page.getByText(/how much better the dialogue did than expected/).waitFor();
  await expect.poll(() => isWide(page)).toBe(false);
});

test('where a warm start must be trained first, the introduction says when an example will be seen', async ({
  open,
}) => {
  const page = await open('/?backend=cpu&world.level=5');
  await page.getByText('You will see one as soon as the preparation begins.').waitFor();
});
