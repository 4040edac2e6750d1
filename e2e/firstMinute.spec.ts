// The view for the first minute: few controls and words in large type, one button that trains, and one problem that the
// untrained team did not solve.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

/** The controls, words and small texts that are in view without scrolling. */
const seen = () => {
  const isSeen = (one: Element) => {
    const { top, bottom, width, height } = one.getBoundingClientRect();
    return top < innerHeight && bottom > 0 && width > 1 && height > 1 && one.checkVisibility();
  };
  const main = document.querySelector('main.first-minute') as HTMLElement;
  const controls = [...document.querySelectorAll('button, a[href], input, select, summary')].filter(isSeen);
  const texts: { text: string; size: number }[] = [];
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement as HTMLElement;
    const text = node.textContent?.trim() ?? '';
    // Numbers on the axes of a chart are no words.
    if (text && isSeen(parent) && !parent.closest('svg, .drawing')) {
      texts.push({ text, size: Number.parseFloat(getComputedStyle(parent).fontSize) });
    }
  }
  const words = texts.flatMap(({ text }) => text.match(/\p{L}{2,}/gu) ?? []).length;
  return { controls: controls.length, words, small: texts.filter(({ size }) => size < 16).map(({ text }) => text) };
};

test('few controls and words are in view, one button trains, and an unsolved problem is shown before and now', async ({
  open,
}) => {
  const contextOptions = { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' } as const;
  const page = await open('/?backend=cpu&lang=en&view=stage', { contextOptions });
  const learn = page.getByRole('button', { name: 'Let them learn' });
  await learn.waitFor();
  await page.getByRole('figure').first().waitFor();
  const before = await page.evaluate(seen);
  expect(before.controls).toBeLessThanOrEqual(15);
  expect(before.words).toBeLessThanOrEqual(90);
  expect(before.small).toEqual([]);

  await learn.click();
  const pair = page.getByRole('region', { name: 'The same problem, before and now' });
  await pair.getByRole('heading', { name: /^After iteration \d+$/ }).waitFor({ timeout: 120_000 });
  await pair.getByText('wrong').first().waitFor();
  await page
    .getByRole('status')
    .getByText(/^After \d+ iterations, the team solves \d+ % of new problems\.$/)
    .waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await learn.waitFor();
  const during = await page.evaluate(seen);
  expect(during.controls).toBeLessThanOrEqual(15);
  expect(during.words).toBeLessThanOrEqual(90);
  expect(during.small).toEqual([]);
  expect(await faultsInBothThemes(page, '.first-minute')).toEqual([]);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await isWide(page)).toBe(false);
  }
  await page.setViewportSize({ width: 1280, height: 720 });

  // The run goes on in the laboratory.
  const iteration = Number(await page.locator('html').getAttribute('data-iteration'));
  await page.getByRole('button', { name: 'Open the laboratory' }).click();
  await page.getByRole('region', { name: 'Setup' }).waitFor();
  await page.getByRole('button', { name: 'Step' }).click();
  await expect.poll(() => page.locator('html').getAttribute('data-iteration')).toBe(`${iteration + 1}`);
});
