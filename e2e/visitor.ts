// Actions that many tests need, and checks of the whole page.
import { readFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';

/** Clicks a button and returns the downloaded file. */
export const download = (from: Page | Locator, button: string | RegExp) =>
  downloaded('page' in from ? from.page() : from, () =>
    from.getByRole('button', { name: button, exact: true }).click(),
  );

/** Returns the file that is downloaded during `act`. */
export async function downloaded(page: Page, act: () => Promise<void>) {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  const bytes = new Uint8Array(await readFile(await file.path()));
  return { name: file.suggestedFilename(), bytes, text: new TextDecoder().decode(bytes) };
}

/** The metadata of a saved figure (docs/features.md, "Export"). */
export interface FigureTold {
  title: string;
  summary: string;
  formula: string;
  source: string;
  y: { label: string; unit?: string };
  columns: string[];
  rows: (number | string | null)[][];
  runs: { name: string; runFile: string }[];
}

/** Saves a figure by keyboard alone: opens `Save figure: TITLE` and chooses SVG or PNG below it. */
export async function saveFigure(from: Page | Locator, title: string, as: 'SVG' | 'PNG') {
  const page = 'page' in from ? from.page() : from;
  await from.getByRole('button', { name: `Save figure: ${title}`, exact: true }).focus();
  await page.keyboard.press('Enter');
  await from.getByRole('button', { name: as, exact: true }).waitFor();
  await page.keyboard.press('Tab');
  if (as === 'PNG') await page.keyboard.press('Tab');
  return downloaded(page, () => page.keyboard.press('Enter'));
}

/** Saves a figure as SVG and returns the metadata in it. */
export async function figureTold(from: Page | Locator, title: string): Promise<FigureTold> {
  const { text } = await saveFigure(from, title, 'SVG');
  const json = /<metadata>([^<]*)</.exec(text)?.[1] ?? '';
  return JSON.parse(json.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')) as FigureTold;
}

export async function libraryOf(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Library of runs' }).click();
  return page.getByRole('dialog', { name: 'Library of runs' });
}

export async function modelsOf(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  return page.getByRole('dialog', { name: 'Models' });
}

/** Opens a run file through the library. */
export async function openRunFile(page: Page, text: string): Promise<void> {
  await libraryOf(page);
  await page.getByLabel('Open a run file (YAML)').setInputFiles(fileOf('run.yaml', text));
}

/** A text file as Playwright gives it to a file input. */
export const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

/** Drops a file on the middle of the page. Returns false for each event whose default action the page prevented. */
export const drop = (page: Page, name: string, content: string | Uint8Array) =>
  page.evaluate(
    ([fileName, base64]) => {
      const bytes = Uint8Array.from(atob(base64 as string), (sign) => sign.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([bytes], fileName as string));
      const at = document.querySelector('main') as HTMLElement;
      return ['dragover', 'drop'].map((type) =>
        at.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: files })),
      );
    },
    [name, Buffer.from(content).toString('base64')],
  );

/** The rules of axe about colours. The themes differ only in colours. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/**
 * Returns the serious and critical faults that axe finds in the page, or all faults in a part of it, as text. Checks
 * all rules, or only those in `rules`.
 */
export async function faults(page: Page, part?: string, rules?: string[]): Promise<string[]> {
  // Colours are checked after all animations have ended. A message that arrives meanwhile is not faded in.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(ending.map((animation) => animation.finished));
  });
  // The page has no frames, so axe needs no second page to merge results. Only violations are reported.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  if (rules) axe.withRules(rules);
  const { violations } = await (part ? axe.include(part) : axe).analyze();
  return violations
    .filter(({ impact }) => part || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}\n${failureSummary}`));
}

/** Returns the faults in both themes. In the dark theme, only the rules about colours are checked. */
export async function faultsInBothThemes(page: Page, part?: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const found = await faults(page, part);
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...found, ...(await faults(page, part, rulesOfColour))];
}

/** Returns whether the page is wider than its window. */
export const isWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

/** Returns the parts of the laboratory whose content is drawn over the part below, as text. */
export const spilling = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.left > *, .centre > *, .right > *')]
      .filter((part) => getComputedStyle(part).overflowY === 'visible' && part.scrollHeight > part.clientHeight + 1)
      .map(({ className, scrollHeight, clientHeight }) => `${className}: ${scrollHeight} in ${clientHeight}`),
  );

/** Returns the elements whose content is wider than the element, as text. */
export const cut = (page: Page, places: string[]) =>
  page.evaluate(
    (all) =>
      all.flatMap((place) =>
        [...document.querySelectorAll(place)]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
          .map(({ className, scrollWidth, clientWidth }) => `${place} ${className}: ${scrollWidth} in ${clientWidth}`),
      ),
    places,
  );
