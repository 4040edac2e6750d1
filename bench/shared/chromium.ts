// Chromium for the benches that drive the page.
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/vulkan.mjs';

/** Nothing of the browser's own goes on beside what is measured. */
export const quietFlags = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Where Chrome or Chromium lies. Throws where there is none. */
export function chromiumPath(): string {
  const found = findChromium();
  if (!found) throw new Error('no Chrome or Chromium found: install one or name it with CHROME=PATH');
  return found;
}

/** Does something in a fresh browser and closes it. */
export async function inChromium<T>(work: (browser: Browser) => Promise<T>, flags: readonly string[] = []): Promise<T> {
  const args = ['--no-sandbox', ...quietFlags, ...flags];
  const browser = await chromium.launch({ executablePath: chromiumPath(), args });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Waits until the run of a page is in one of these states. */
export async function untilRun(page: Page, states: string[], timeout: number, polling = 200): Promise<void> {
  const isThere = (wanted: string[]) => wanted.includes(document.documentElement.dataset['runState'] ?? '');
  await page.waitForFunction(isThere, states, { timeout, polling });
}
