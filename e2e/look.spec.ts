// Tests parts of the page that a visitor sees and presses: names of chart lines, held dialogues, notices over the page,
// sliders, the space bar and the menu of presets. No part of the page is wider than its window.
import { expect } from 'vitest';
import { readRunFile } from '../src/formats/runFile.ts';
import { test } from './browser.ts';
import { iterationOf, runState, step, untilIteration, untilState } from './contract.ts';
import { cut, download, faults } from './visitor.ts';

const few = 'preset=default&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16&evaluation.every=1';

/** Token tables and lanes scroll in a region of their own. */
const places = ['html', 'header', '.left', '.fields', '.centre', '.panel', '.strip', '.readouts', '.right'];

test('nothing overflows from 390 to 1920 pixels, the whole run name is shown, and axe finds nothing serious', async ({
  open,
}) => {
  const page = await open(`/?${few}&learning.learner=ppo&iterations=20`);
  await step(page, 1);
  for (const width of [390, 901, 1024, 1180, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await cut(page, places), `${width} pixels`).toEqual([]);
    const isCut = await page
      .locator('.run > span')
      .first()
      .evaluate(
        (name) => name.getBoundingClientRect().right > (name.parentElement?.getBoundingClientRect().right ?? 0),
      );
    expect(isCut, `${width} pixels`).toBe(false);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  const [table, last] = await Promise.all([
    page.getByRole('region', { name: /^turn 1/ }).boundingBox(),
    page.getByRole('columnheader', { name: 'alternatives' }).boundingBox(),
  ]);
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual((table?.x ?? 0) + (table?.width ?? 0) + 1);
  expect(await faults(page)).toEqual([]);
});

test('every line of a chart has its name outside the plot', async ({ open }) => {
  const page = await open(`/?${few}&iterations=20`);
  await step(page, 1);
  const chart = page.locator('section.card', { hasText: 'Right answers' });
  const names = () => chart.locator('ul li').allInnerTexts();
  // Charts are drawn a few times a second.
  await expect
    .poll(names)
    .toEqual([
      'team',
      'messages suddenly hidden, not trained for this',
      expect.stringMatching(/^best possible without messages, on average 0\.\d\d$/),
    ]);
  await chart.getByRole('button', { name: 'by rule' }).click();
  expect((await names()).slice(0, 4)).toEqual(['team', 'multiplication first', 'left to right', 'right to left']);
  const [key, plot] = await Promise.all([chart.locator('ul').boundingBox(), chart.getByRole('img').boundingBox()]);
  expect((key?.y ?? 0) + (key?.height ?? 0)).toBeLessThanOrEqual(plot?.y ?? 0);
});

test('a dialogue opened during training stays on the stage until the visitor follows the training again', async ({
  visit,
}) => {
  const { page } = await visit(`/?${few.replace('every=1', 'every=1000')}&iterations=5000&autostart=1`);
  await untilIteration(page, 2);
  await page
    .getByRole('listbox', { name: /rollouts of one problem/ })
    .getByRole('option')
    .nth(2)
    .click();
  const held = page.getByRole('button', { name: /^showing iteration \d+ · follow$/ });
  await held.waitFor();
  await page
    .getByRole('button', { name: /, formula$/ })
    .first()
    .click();
  const card = page.getByRole('region', { name: /^How .* enters the loss/ });
  const track = page.getByRole('slider', { name: 'Position in training' });
  const [said, words, at] = [await card.innerText(), await held.innerText(), await iterationOf(page)];
  await untilIteration(page, at + 3);
  await expect.poll(() => card.innerText()).toBe(said);
  await expect.poll(() => held.innerText()).toBe(words);
  const lengthHeld = (await track.boundingBox())?.width;
  await held.click();
  await expect.poll(() => held.count()).toBe(0);
  await expect.poll(() => card.count()).toBe(0);
  expect((await track.boundingBox())?.width).toBe(lengthHeld);
});

test('the space bar also pauses after a click on a token, and presses a button that was reached with Tab', async ({
  visit,
}) => {
  const { page } = await visit(`/?${few.replace('every=1', 'every=1000')}&iterations=5000&autostart=1`);
  await untilIteration(page, 1);
  const token = page.getByRole('button', { name: /, formula$/ }).first();
  await token.click();
  await page.keyboard.press('Space');
  await untilState(page, ['paused']);
  await expect.poll(() => page.getByRole('region', { name: /^How .* enters the loss/ }).count()).toBe(1);
  await page.getByRole('button', { name: 'Close the formula' }).click();
  await page.keyboard.press('Shift+Tab');
  await token.focus();
  await page.keyboard.press('Space');
  await page.getByRole('region', { name: /^How .* enters the loss/ }).waitFor();
  expect(await runState(page)).toBe('paused');
});

test('a slider for whole numbers moves by one with an arrow key and by more with a page key', async ({ open }) => {
  const page = await open(`/?${few}`);
  const slider = page.getByRole('slider', { name: 'Level' });
  await slider.focus();
  const value = () => slider.getAttribute('aria-valuetext');
  expect(await value()).toBe('1');
  await page.keyboard.press('ArrowRight');
  expect(await value()).toBe('2');
  await page.keyboard.press('PageUp');
  expect(await value()).toBe('4');
  await page.keyboard.press('ArrowLeft');
  expect(await value()).toBe('3');
});

test('a slider counts each key press during training; the change is marked in charts and timeline, and stored', async ({
  visit,
}) => {
  const { page } = await visit(`/?${few}&iterations=5000&autostart=1`);
  await untilIteration(page, 1);
  const slider = page.getByRole('slider', { name: 'Clip', exact: true });
  await slider.focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0.24');
  const noted = page.getByText(/^After iteration \d+: clip 0\.24\.$/);
  await noted.waitFor();
  await expect.poll(() => noted.count()).toBe(1);
  const words = await noted.innerText();
  await page.keyboard.press('Tab'); // leaves the slider, which uses keys itself
  await page.getByRole('button', { name: 'Pause' }).press('Enter');
  await untilState(page, ['paused']);
  const charts = page.locator('.charts').getByRole('img', { name: words });
  await expect.poll(() => charts.count()).toBeGreaterThanOrEqual(3);
  const marks = await page.locator('.charts').getByTitle(words).all();
  expect(marks.length).toBe(await charts.count());
  for (const mark of marks) await expect.poll(() => mark.isVisible()).toBe(true);
  await page.getByRole('button', { name: words }).waitFor();
  const { text } = await download(page, 'Run file');
  const iteration = Number(/\d+/.exec(words)?.[0]);
  expect(readRunFile(text).changes.at(-1)).toEqual({ iteration, path: 'learning.clipHigh', value: 0.24 });
});

test('a notice covers part of the page and moves nothing', async ({ open }) => {
  const page = await open(`/?${few}&no.such=1`);
  const top = async () => (await page.locator('.strip').boundingBox())?.y;
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  const before = await top();
  await dismiss.click();
  await expect.poll(() => dismiss.count()).toBe(0);
  expect(await top()).toBe(before);
});

test('the menu of presets does not list the preset for tests, but a link still opens it', async ({ visit }) => {
  const { page } = await visit(`/?${few}`);
  const menu = page.getByLabel('Preset');
  await menu.waitFor(); // the page loads its texts before it shows anything
  await expect.poll(() => menu.locator('option').allInnerTexts()).not.toContain('Micro');
  await expect.poll(() => menu.locator('option').count()).toBeGreaterThan(5);
  const opened = await visit('/?preset=micro&backend=cpu');
  await expect.poll(() => opened.page.getByLabel('Preset').inputValue()).toBe('micro');
});
