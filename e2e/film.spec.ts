// The film of a run is a file that a browser plays without the page.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { download } from './visitor.ts';

test('the film of a run shows one scene after the other, and then its whole curve', async ({ open }) => {
  const page = await open(
    '/?preset=micro&backend=cpu&warmStart.source=none&seed=5&evaluation.every=2&evaluation.problems=16&run.checkpointEvery=2&run.iterations=6&view=stage',
  );
  const share = page.getByRole('button', { name: 'Share', exact: true });
  await share.click();
  const dialog = page.getByRole('dialog', { name: 'Share' });
  const button = dialog.getByRole('button', { name: 'Save the film of this run' });
  await expect.poll(() => button.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Let them learn' }).click();
  await untilState(page, ['done']);
  await share.click();
  const { bytes, name } = await download(dialog, 'Save the film of this run');
  expect(name).toMatch(/-film\.svg$/);
  expect(bytes.length).toBeLessThan(1_000_000);
  await dialog.getByRole('img', { name: 'The film of this run' }).waitFor();

  const file = await page.context().newPage();
  await file.goto(`data:image/svg+xml;base64,${Buffer.from(bytes).toString('base64')}`);
  /** The scenes that are visible, and the number of visible parts of the curve, at a time in seconds. */
  const at = (seconds: number) =>
    file.evaluate((ms) => {
      for (const animation of document.getAnimations()) {
        animation.pause();
        animation.currentTime = ms;
      }
      const isVisible = (one: Element) => getComputedStyle(one).opacity === '1';
      const all = (name: string) => [...document.querySelectorAll(`g[class^=${name}]`)].filter(isVisible);
      return { scenes: all('at').map((one) => one.classList[0]), curve: all('from').length };
    }, seconds * 1000);
  expect(await at(0.1)).toEqual({ scenes: ['at0'], curve: 1 });
  expect(await at(1.3)).toEqual({ scenes: ['at1'], curve: 2 });
  const [scenes, parts] = await file.evaluate(() =>
    ['at', 'from'].map((name) => document.querySelectorAll(`g[class^=${name}]`).length),
  );
  // Each scene is shown for 1.2 seconds, and the last one longer.
  const last = (scenes ?? 0) - 1;
  expect(last).toBeGreaterThan(1);
  expect(await at(1.2 * last + 0.1)).toEqual({ scenes: [`at${last}`], curve: parts });
  await file.close();
});
