// Chromium for the benches that drive the page.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { quietFlags } from '../../scripts/chromium.mjs';
import { findChromium } from '../../scripts/vulkan.mjs';

/** The path to Chrome or Chromium. Throws if there is none. */
export function chromiumPath(): string {
  const found = findChromium();
  if (!found) throw new Error('no Chrome or Chromium found: install one or name it with CHROME=PATH');
  return found;
}

/**
 * Runs a task in a new browser with a profile on disk, as visitors have, and closes it. Windows without a profile keep
 * their store in memory and clean it up with every write: a page with much stored data is slower in them.
 */
export async function inChromium<T>(
  work: (profile: BrowserContext, browser: Browser) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-profile-'));
  try {
    const profile = await chromium.launchPersistentContext(folder, {
      executablePath: chromiumPath(),
      args: ['--no-sandbox', ...quietFlags, ...flags],
      viewport: { width: 1440, height: 900 },
    });
    try {
      return await work(profile, profile.browser() as Browser);
    } finally {
      await profile.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The processes of a browser, with the processor time of each in seconds. */
export async function processesOf(browser: Browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo;
}

/** The total processor time of all of them in seconds. */
export const processorSeconds = async (browser: Browser): Promise<number> =>
  (await processesOf(browser)).reduce((sum, { cpuTime }) => sum + cpuTime, 0);

/** Waits until the run of a page is in one of these states. */
export async function untilRun(page: Page, states: string[], timeout: number, polling = 200): Promise<void> {
  const isThere = (wanted: string[]) => wanted.includes(document.documentElement.dataset['runState'] ?? '');
  await page.waitForFunction(isThere, states, { timeout, polling });
}
