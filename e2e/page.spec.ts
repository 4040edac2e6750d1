// Accessibility of the page: by keyboard alone, by screen reader, in both themes, on a narrow screen, without motion.
// axe-core checks the page and may find nothing serious or critical.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test, type OpenPage } from './browser.ts';
import { iterationOf, metric, runState, step, untilIteration, untilState } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const link = '/?preset=micro&backend=cpu&iterations=5000&learning.groupSize=4';

/** Opens a page with a run that is paused after two iterations. */
async function pausedPage(open: OpenPage, contextOptions = {}): Promise<Page> {
  const page = await open(link, { contextOptions });
  await step(page, 1, 2);
  return page;
}

test('axe finds nothing serious in either theme, at each step of a run and in each dialog', async ({ open }) => {
  const page = await open(`${link}&no.such=1`);
  expect(await faultsInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await step(page, 1);
  for (const button of await page.getByRole('button', { name: /, advanced: / }).all()) await button.click();
  await page.getByText(/^More: /).click();
  await page.getByText('Input of each agent').click();
  expect(await faultsInBothThemes(page)).toEqual([]);
  for (const dialog of ['Library of runs', 'Glossary', 'Keys']) {
    await page.getByRole('button', { name: dialog }).click();
    await page.getByRole('dialog', { name: dialog }).waitFor();
    expect(await faultsInBothThemes(page), dialog).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count(), { message: dialog }).toBe(0);
  }
});

test('on a narrow screen each tab shows only its part, nothing overflows, and axe finds nothing serious', async ({
  open,
}) => {
  const page = await pausedPage(open, { viewport: { width: 390, height: 844 } });
  const parts = { Setup: 'Setup', Dialogue: 'Dialogue and timeline', Charts: 'Charts, health and export' };
  for (const [tab, part] of Object.entries(parts)) {
    const button = page.getByRole('navigation').getByRole('button', { name: tab });
    await button.click();
    await expect.poll(() => button.getAttribute('aria-current')).toBe('true');
    for (const name of Object.values(parts)) {
      await expect
        .poll(() => page.getByRole('region', { name, exact: true }).isVisible(), { message: `${name} in ${tab}` })
        .toBe(name === part);
    }
    expect(await faultsInBothThemes(page), tab).toEqual([]);
    expect(await isWide(page), tab).toBe(false);
  }
  // The page stays readable at a zoom of 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  await expect.poll(() => isWide(page)).toBe(false);
  for (const name of ['Train', 'Step', 'Share']) {
    await expect.poll(() => page.getByRole('button', { name, exact: true }).isVisible(), { message: name }).toBe(true);
  }
});

test('keys start and pause training, train one step and open the list of keys', async ({ open }) => {
  const page = await pausedPage(open);
  await page.keyboard.press('Space');
  await untilIteration(page, 4);
  await page.keyboard.press('Space');
  await untilState(page, ['paused']);
  const stands = await iterationOf(page);
  await page.keyboard.press('s');
  await untilIteration(page, stands + 1);
  await untilState(page, ['paused']); // an iteration is reported before it is stored
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await sheet.waitFor();
  await page.keyboard.press('Space');
  expect(await runState(page)).not.toBe('training');
  await page.keyboard.press('Escape');
  await expect.poll(() => sheet.count()).toBe(0);
});

test('arrow keys choose rollout and turn, and bracket keys move along the timeline', async ({ open }) => {
  const page = await pausedPage(open);
  const rollouts = page.getByRole('listbox', { name: /rollouts of one problem/ });
  const selected = () => rollouts.getByRole('option', { selected: true }).getAttribute('aria-label');
  expect(await selected()).toMatch(/^rollout 1: /);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await selected()).toMatch(/^rollout 3: /);
  await page.keyboard.press('ArrowLeft');
  expect(await selected()).toMatch(/^rollout 2: /);

  const position = page.getByRole('slider', { name: 'Position in training' });
  const at = () => position.getAttribute('aria-valuetext');
  expect(await at()).toMatch(/^iteration 2 of 5000, newest$/);
  await page.keyboard.press('[');
  await expect.poll(at).toMatch(/^iteration 1 of 5000/);
  expect(await iterationOf(page)).toBe(2);
  await page.keyboard.press(']');
  await expect.poll(at).toMatch(/^iteration 2 of 5000/);
  await page.keyboard.press('[');
  await page.keyboard.press('Escape');
  await expect.poll(at).toMatch(/newest$/);
});

test('the arrow keys up and down move through the turns of a dialogue', async ({ open }) => {
  const page = await open('/?preset=default&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16');
  await step(page, 1);
  const turns = page.getByRole('listbox', { name: /^Dialogue/ }).getByRole('option');
  const chosen = async () => {
    const flags = await turns.evaluateAll((all) => all.map((turn) => turn.getAttribute('aria-selected')));
    return flags.indexOf('true');
  };
  await expect.poll(() => turns.count()).toBeGreaterThan(2);
  const first = await chosen();
  await page.keyboard.press('ArrowDown');
  expect(await chosen()).toBe(first + 1);
  await page.keyboard.press('ArrowUp');
  expect(await chosen()).toBe(first);
});

test('the headline metrics explain themselves, and charts, turns and state have texts for screen readers', async ({
  open,
}) => {
  const page = await pausedPage(open);
  const names = ['accuracy', 'accuracy-low', 'accuracy-high', 'ceiling', 'reward', 'loss', 'tokens-per-second'];
  for (const name of [...names, 'iteration']) {
    expect(Number.isFinite(await metric(page, name)), name).toBe(true);
  }
  const [low, middle, high] = [
    await metric(page, 'accuracy-low'),
    await metric(page, 'accuracy'),
    await metric(page, 'accuracy-high'),
  ];
  expect(low).toBeLessThanOrEqual(middle);
  expect(middle).toBeLessThanOrEqual(high);
  expect(await metric(page, 'iteration')).toBe(2);
  expect(await metric(page, 'ceiling')).toBeLessThanOrEqual(0.67);
  await page.locator('output[data-metric="accuracy"]').click();
  await expect.poll(() => page.locator('[popover]:popover-open').innerText()).toMatch(/held-out.*Wilson/s);
  await page.keyboard.press('Escape');

  const charts = page.getByRole('region', { name: 'Charts, health and export' }).getByRole('img');
  await expect.poll(() => charts.count()).toBeGreaterThanOrEqual(4);
  for (const chart of await charts.all()) expect((await chart.getAttribute('aria-label'))?.length).toBeGreaterThan(20);
  await expect
    .poll(() => charts.first().getAttribute('aria-label'))
    .toMatch(/Right answers.*Best possible without messages/s);
  await expect.poll(() => page.getByRole('status').first().innerText()).not.toBe('');
  const turn = page
    .getByRole('listbox', { name: /^Dialogue/ })
    .getByRole('option')
    .first();
  expect((await turn.getAttribute('aria-label'))?.length).toBeGreaterThan(10);
  await expect.poll(() => page.getByRole('table').getByRole('columnheader').count()).toBeGreaterThan(6);
});

test('nothing is animated if the visitor prefers reduced motion', async ({ visit }) => {
  // Returns the kinds of animations that run until two iterations are finished.
  const moving = async (reducedMotion: 'reduce' | 'no-preference') => {
    const { page } = await visit(`${link}&warmStart.steps=60&autostart=1`, { contextOptions: { reducedMotion } });
    return page.evaluate(async () => {
      const names = new Set<string>();
      const { dataset } = document.documentElement;
      while (dataset['runState'] !== 'failed' && !(Number(dataset['iteration']) >= 2)) {
        for (const animation of document.getAnimations()) {
          if (Number(animation.effect?.getComputedTiming().duration) > 1) names.add(animation.constructor.name);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return [...names];
    });
  };
  expect(await moving('no-preference')).not.toEqual([]);
  expect(await moving('reduce')).toEqual([]);
});

test('training animates only opacity and transform, which need no repainting', async ({ open }) => {
  const page = await open(link);
  const watching = page.evaluate(async () => {
    const properties = new Set<string>();
    const { dataset } = document.documentElement;
    // Repainting each frame slowed training down by a quarter on two cores.
    for (let until = Infinity; performance.now() < until;) {
      if (until === Infinity && Number(dataset['iteration']) >= 2) until = performance.now() + 2000;
      for (const animation of document.getAnimations())
        for (const frame of (animation.effect as KeyframeEffect).getKeyframes())
          for (const property of Object.keys(frame)) properties.add(property);
      await new Promise(requestAnimationFrame);
    }
    return [...properties];
  });
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  const moved = await watching;
  const composed = ['offset', 'computedOffset', 'easing', 'composite', 'opacity', 'transform'];
  expect(moved.filter((property) => !composed.includes(property))).toEqual([]);
  expect(moved).toContain('opacity'); // a new turn fades in
});

test('the charts look the same with and without motion', async ({ open }) => {
  const drawn = async (reducedMotion: 'reduce' | 'no-preference') => {
    const page = await pausedPage(open, { reducedMotion });
    const chart = page.getByRole('img', { name: /^Right answers/ });
    await page.waitForTimeout(600); // Charts are drawn a few times a second.
    return chart.locator('svg').first().innerHTML();
  };
  const [still, moving] = [await drawn('reduce'), await drawn('no-preference')];
  expect(still.length).toBeGreaterThan(2000);
  expect(still === moving).toBe(true);
});
