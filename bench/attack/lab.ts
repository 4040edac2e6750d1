// A browser that is killed again and again. Its profile survives, as that of a visitor does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import type { Draws } from '../../src/base/random.ts';
import { quietFlags } from '../../scripts/chromium.mjs';
import { chromiumPath, untilRun } from '../shared/chromium.ts';

const killings = [
  'page closed',
  'browser closed',
  'browser killed',
  'renderer killed',
  'renderer crashed',
  'worker ended',
] as const;
type Killing = (typeof killings)[number];

const patienceMs = 120_000;

export class Lab {
  readonly #origin: string;
  readonly #profile = mkdtempSync(path.join(tmpdir(), 'cothink-attack-'));
  #context: BrowserContext | null = null;
  #page: Page | null = null;
  readonly #line: string;
  /** The browser's download folder. */
  readonly downloads = mkdtempSync(path.join(tmpdir(), 'cothink-saved-'));
  /** Uncaught errors of the pages. */
  readonly errors: string[] = [];

  /** `line` is injected before the page's own code and before that of its trainer. */
  constructor(origin: string, line = '') {
    this.#origin = origin;
    this.#line = line;
  }

  get page(): Page {
    if (!this.#page) throw new Error('the page has not been opened');
    return this.#page;
  }

  /** Opens the page again, in the current browser or in another with the same profile. */
  async visit(query: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    await this.#page?.close().catch(() => undefined);
    this.#context ??= await this.#launch();
    const page = await this.#context.newPage();
    page.on('pageerror', (error) => this.errors.push(String(error).slice(0, 120)));
    await page.addInitScript(keepWorkers);
    await prepare?.(page);
    this.#page = page;
    await page.goto(`${this.#origin}/?${query}`);
    return page;
  }

  async kill(how: Killing): Promise<void> {
    const page = this.page;
    switch (how) {
      case 'page closed':
        return page.close();
      case 'browser closed':
        return this.#leave();
      case 'browser killed':
        process.kill(await this.#processOf('browser'), 'SIGKILL');
        return this.#leave();
      case 'renderer killed':
        // The tab with the most processor time is the one that trains.
        process.kill(await this.#processOf('renderer'), 'SIGKILL');
        return;
      case 'renderer crashed':
        await page.goto('chrome://crash').catch(() => undefined);
        return;
      case 'worker ended':
        await page.evaluate(() => {
          for (const worker of (globalThis as unknown as { workers: Worker[] }).workers) worker.terminate();
        });
    }
  }

  /** Ends the browser and deletes its profile. */
  async dispose(): Promise<void> {
    await this.#leave();
    for (const folder of [this.#profile, this.downloads]) rmSync(folder, { recursive: true, force: true });
  }

  async #leave(): Promise<void> {
    await this.#context?.close().catch(() => undefined);
    this.#context = null;
    this.#page = null;
  }

  async #launch(): Promise<BrowserContext> {
    const context = await chromium.launchPersistentContext(this.#profile, {
      executablePath: chromiumPath(),
      chromiumSandbox: false,
      args: quietFlags,
      downloadsPath: this.downloads,
      // Files cached by a service worker would not receive the injected line.
      ...(this.#line !== '' && { serviceWorkers: 'block' as const }),
    });
    context.setDefaultTimeout(patienceMs);
    if (this.#line !== '') await everywhere(context, this.#line);
    return context;
  }

  async #processOf(type: string): Promise<number> {
    const session = await this.#context?.browser()?.newBrowserCDPSession();
    if (!session) throw new Error('the browser tells nothing of its processes');
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const busiest = processInfo.filter((one) => one.type === type).sort((a, b) => b.cpuTime - a.cpuTime);
    await session.detach();
    const [found] = busiest;
    if (!found) throw new Error(`the browser has no process of type ${type}`);
    return found.id;
  }
}

/** Records the workers of the page. Runs before the page's own code, because the page does not expose its workers. */
function keepWorkers(): void {
  const shared = globalThis as unknown as { workers: Worker[]; Worker: typeof Worker };
  shared.workers = [];
  shared.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      shared.workers.push(this);
    }
  };
}

/** Runs a line before the code of every page and before that of its workers, at the head of their entry. */
export async function everywhere(context: BrowserContext, line: string): Promise<void> {
  await context.addInitScript(line);
  await context.route(/page\.worker-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${line}\n${await answer.text()}` });
  });
}

/** Waits until a page or its trainer prints this; false after a timeout. */
export const says = (page: Page, words: string, atMostMs: number): Promise<boolean> =>
  page.waitForEvent('console', { predicate: (message) => message.text() === words, timeout: atMostMs }).then(
    () => true,
    () => false,
  );

/** Kills the page in one of several ways; returns the way. */
export async function killed(lab: Lab, draws: Draws): Promise<Killing> {
  const how = draws.pick(killings);
  await lab.kill(how);
  return how;
}

export const iterationOf = (page: Page) => page.evaluate(() => Number(document.documentElement.dataset['iteration']));

export const stateOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['runState'] ?? '');

/** Waits for one of the states; `failed` ends the wait as well. Returns the state. */
export async function untilState(page: Page, ...states: string[]): Promise<string> {
  await untilRun(page, [...states, 'failed'], patienceMs, 50);
  return stateOf(page);
}
