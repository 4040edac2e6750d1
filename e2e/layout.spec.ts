// The layout of the page: at the size of a laptop, or of a projector at one and a half times the size, nothing is cut
// off and nothing moves from one iteration to the next. Charts that a learner does not have leave no gap.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, step, untilIteration } from './contract.ts';
import { cut, spilling } from './visitor.ts';

const projected = { viewport: { width: 1280, height: 800 } };
const few =
  'preset=default&backend=cpu&learning.problemsPerIteration=8&evaluation.problems=16&evaluation.every=1&iterations=20';

const places = ['header', 'header > *', '.strip', '.panel', '.scroll', '.readouts', '.right'];

/** Returns where the parts of the stage begin, in pixels from the top. */
const tops = (page: Page) =>
  page.evaluate(() =>
    ['.strip', '.panel', '.lanes', '.timeline', '.readouts'].map((place) =>
      Math.round(document.querySelector(place)?.getBoundingClientRect().top ?? -1),
    ),
  );

test('at 1280 pixels nothing is cut off, and the parts of the stage do not move during the first iterations', async ({
  open,
}) => {
  const page = await open(`/?${few}`, { contextOptions: projected });
  // Before training, the page shows an introduction, which the stage replaces later.
  await page
    .getByRole('region', { name: 'What happens here' })
    .getByText(/That is why the planner must speak/)
    .waitFor();
  expect([...(await cut(page, places)), ...(await spilling(page))]).toEqual([]);
  let first: number[] = [];
  for (let iteration = 1; iteration <= 5; iteration++) {
    await step(page, iteration);
    if (iteration === 1) first = await tops(page);
    expect(await tops(page), `iteration ${iteration}`).toEqual(first);
    expect([...(await cut(page, places)), ...(await spilling(page))], `iteration ${iteration}`).toEqual([]);
  }
  await expect.poll(() => page.getByRole('columnheader', { name: 'alternatives' }).isVisible()).toBe(true);
  // The header now shows the speed. It is also tested with a long name of the run.
  const header = ['html', 'header'];
  for (const isLong of [false, true]) {
    for (const width of [904, 1056, 1128, 1200, 1280, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await cut(page, header), `${width}, ${isLong ? 'long' : 'short'} name`).toEqual([]);
    }
    await page
      .locator('header .run > :first-child')
      .evaluate((name) => (name.textContent = 'a name of a run '.repeat(5)));
  }
  const name = page.locator('header .run > :first-child');
  expect(await name.evaluate((element) => getComputedStyle(element).textOverflow)).toBe('ellipsis');
  expect(await name.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
});

/** Returns the sum of all layout shifts since the page was opened. More than 0.1 counts as disturbing. */
const shifted = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const moved = list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[];
          resolve(moved.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0));
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer is not called if nothing moved.
        setTimeout(() => resolve(0), 1000);
      }),
  );

test.for([
  ['/?', 1440, 900],
  ['/?', 1280, 800],
  ['/?', 390, 844],
  ['/?lesson=twoMinds&', 1440, 900],
] as const)('%s at %i pixels does not move while it loads', async ([address, width, height], { open }) => {
  const page = await open(`${address}backend=cpu`, { contextOptions: { viewport: { width, height } } });
  await page.waitForTimeout(1500); // for the parts that appear after the run is open
  expect(await shifted(page)).toBeLessThan(0.1);
});

test('the laboratory does not move while it starts and trains', async ({ visit }) => {
  const { page } = await visit('/?preset=quick&backend=cpu&seed=5&view=lab&autostart=1', {
    contextOptions: { viewport: { width: 1440, height: 900 } },
  });
  await untilIteration(page, 1);
  expect(await shifted(page)).toBeLessThan(0.1);
  await untilIteration(page, 2);
  const first = await tops(page);
  for (let i = 0; i < 50; i++) {
    expect(await tops(page)).toEqual(first);
    await page.waitForTimeout(200);
  }
  expect(await iterationOf(page)).toBeGreaterThan(2);
});

test('four debaters fit side by side at 1280 pixels', async ({ open }) => {
  const page = await open(
    `/?preset=debate&warmStart.source=train&agents.size=micro&agents.count=4&warmStart.steps=20&warmStart.batchSize=16&${few}`,
    { contextOptions: projected },
  );
  await step(page, 1);
  const lanes = page.getByRole('group', { name: 'Lanes' });
  expect(await lanes.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  await expect.poll(() => lanes.getByText('Debater 4').isVisible()).toBe(true);
});

test('on a phone the turns of two debaters are separate, each below the name of its debater', async ({ open }) => {
  const page = await open(
    `/?preset=debate&warmStart.source=train&agents.size=micro&warmStart.steps=20&warmStart.batchSize=16&${few}`,
    {
      contextOptions: { viewport: { width: 390, height: 844 } },
    },
  );
  await step(page, 1);
  const turns = page.getByRole('listbox', { name: /^Dialogue/ }).getByRole('option');
  const edges = async (name: string) => {
    const turn = await turns
      .and(page.getByLabel(new RegExp(`, ${name}:`)))
      .first()
      .boundingBox();
    const head = await page.locator('.head', { hasText: name }).boundingBox();
    if (!turn || !head) throw new Error(`${name} is not there`);
    return { left: turn.x, right: turn.x + turn.width, headRight: head.x + head.width };
  };
  const [one, two] = [await edges('Debater 1'), await edges('Debater 2')];
  expect(two.left - one.left).toBeGreaterThan(20);
  expect(two.right - one.right).toBeGreaterThan(20);
  expect(Math.abs(two.headRight - two.right)).toBeLessThan(2);
});

test('charts of measures that a learner does not have are left out, and charts of its critic are shown', async ({
  open,
}) => {
  const titles = async (query: string) => {
    const page = await open(`/?${query}&${few}`);
    await step(page, 1, 2);
    const more = page.getByText(/^More: /);
    const words = await more.innerText();
    await more.click();
    const heads = page.locator('details section.card h3 > button');
    await heads.first().waitFor();
    const shown = await heads.allInnerTexts();
    // Charts are drawn a few times a second.
    await expect.poll(() => page.locator('details').getByText('with the next iteration').count()).toBe(0);
    return { words, shown };
  };
  const ppo = await titles('preset=ppo');
  expect(ppo.shown).not.toContain('Dead groups');
  expect(ppo.words).not.toContain('dead groups');
  expect(ppo.shown).toContain('Explained variance');
  const alone = await titles('preset=alone');
  expect(alone.shown).toContain('Dead groups');
  expect(alone.shown).not.toContain('Causal influence');
});

test('Escape first closes the popover over a past iteration, then returns to the newest iteration', async ({
  open,
}) => {
  const page = await open(`/?${few}`);
  await step(page, 1, 2);
  const at = () => page.getByRole('slider', { name: 'Position in training' }).getAttribute('aria-valuetext');
  await page.keyboard.press('[');
  await expect.poll(at).toMatch(/^iteration 1 of 20, newest is 2$/);
  await page.getByRole('button', { name: 'last digit' }).click();
  const about = page.locator('[popover]:popover-open');
  await about.waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => about.count()).toBe(0);
  expect(await at()).toMatch(/^iteration 1 /);
  await page.keyboard.press('Escape');
  await expect.poll(at).toMatch(/newest$/);
});
