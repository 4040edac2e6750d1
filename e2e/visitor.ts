// Actions that visitors repeat, and their view of the whole page.
import { readFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';

/** Clicks and takes what is downloaded. */
export const download = (from: Page | Locator, button: string | RegExp) =>
  downloaded('page' in from ? from.page() : from, () =>
    from.getByRole('button', { name: button, exact: true }).click(),
  );

/** Takes what is downloaded by doing something. */
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

/** Saves a figure by the keyboard alone: `Save figure: TITLE`, and below it SVG or PNG. */
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

/** A file as a visitor has it on the disk. */
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

/** Rules of axe that ask for colours, all that differs between the themes. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/**
 * The faults that axe finds serious or critical in the page, or finds at all in a part of it, in words; by all rules or
 * by these.
 */
export async function faults(page: Page, part?: string, rules?: string[]): Promise<string[]> {
  // Colours are judged as they are at rest.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(ending.map((animation) => animation.finished));
  });
  // The page has no frames, so it needs no second page to put their results together; what passes is not told.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  if (rules) axe.withRules(rules);
  const { violations } = await (part ? axe.include(part) : axe).analyze();
  return violations
    .filter(({ impact }) => part || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}\n${failureSummary}`));
}

/** The same in both themes, one after the other; in the dark theme only by the rules about colours. */
export async function faultsInBothThemes(page: Page, part?: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const found = await faults(page, part);
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...found, ...(await faults(page, part, rulesOfColour))];
}

/** Whether the page is wider than its window. */
export const isWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

/** Elements that are wider than their place, in words. */
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
