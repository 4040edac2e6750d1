// Opens the page for the end-to-end tests. `test` gives each test two functions. `visit` opens the page in a fresh
// browser context; the test fails at its end if the page logged an error, threw, or requested anything from elsewhere.
// `open` does the same, and also waits until a run can be started.
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core';
import { afterAll, expect, inject, test as base } from 'vitest';
import { quietFlags } from '../scripts/chromium.mjs';
import { findChromium } from '../scripts/vulkan.mjs';
import { untilState } from './contract.ts';

/** Without these flags headless Chromium has no WebGPU adapter, which is the page's "no WebGPU" case. */
const webgpuFlags = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
const flags = [...quietFlags, '--js-flags=--expose-gc'];

export interface VisitOptions {
  /** Makes WebGPU available, emulated by SwiftShader. Without it, the browser has no WebGPU. */
  webgpu?: boolean;
  /** An existing context instead of a fresh one: it has the same storage, for reloads and second tabs. */
  context?: BrowserContext;
  /** Viewport, colour scheme and so on of a fresh context. */
  contextOptions?: BrowserContextOptions;
  /** Allows the service worker. Without it, the page itself makes every request, and only what a test stores is kept. */
  offline?: boolean;
  /** The origin of the page, if not the server that all tests share. */
  origin?: string;
  /** Problems that the test provokes: it does not fail because of a problem that matches one of these patterns. */
  tolerate?: RegExp[];
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** The console errors, page errors and requests to other origins so far, as text. */
  problems: string[];
}

/** Opens `address` (path and query, as '/?preset=micro') and waits for the page's load event. */
export type OpenVisit = (address?: string, options?: VisitOptions) => Promise<Visit>;
/** Does the same, and waits until a run can be started. */
export type OpenPage = (address?: string, options?: VisitOptions) => Promise<Page>;

const browsers = new Map<boolean, Promise<Browser>>();

function browserWith(webgpu: boolean): Promise<Browser> {
  const running = browsers.get(webgpu);
  if (running) return running;
  const started = chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: false,
    args: webgpu ? [...flags, ...webgpuFlags] : flags,
  });
  browsers.set(webgpu, started);
  return started;
}

afterAll(async () => {
  const running = [...browsers.values()];
  browsers.clear();
  await Promise.all(running.map(async (browser) => (await browser).close()));
});

function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${String(error)}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console error: ${message.text()}`);
  });
  const judge = (request: Request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) problems.push(`foreign request: ${url}`);
  };
  page.on('request', judge);
  // Requests of the service worker belong to no page.
  page.context().on('request', (request) => {
    if (request.serviceWorker()) judge(request);
  });
  return problems;
}

export const test = base.extend<{ visit: OpenVisit; open: OpenPage }>({
  visit: async ({}, use) => {
    const opened = new Set<BrowserContext>();
    const watched: { problems: string[]; tolerate: RegExp[] }[] = [];
    await use(async (address = '/', options = {}) => {
      const { webgpu = false, offline = false, contextOptions, origin = inject('origin'), tolerate = [] } = options;
      const serviceWorkers = offline ? 'allow' : 'block';
      const fresh = { viewport: { width: 1440, height: 900 }, serviceWorkers, ...contextOptions } as const;
      const context = options.context ?? (await (await browserWith(webgpu)).newContext(fresh));
      opened.add(context);
      const page = await context.newPage();
      const problems = watch(page, origin);
      watched.push({ problems, tolerate });
      await page.goto(origin + address);
      return { page, context, problems };
    });
    await Promise.all([...opened].map((context) => context.close()));
    const unexpected = watched.flatMap(({ problems, tolerate }) =>
      problems.filter((problem) => !tolerate.some((pattern) => pattern.test(problem))),
    );
    expect(unexpected, 'problems on the page').toEqual([]);
  },
  open: ({ visit }, use) =>
    use(async (address, options) => {
      const { page } = await visit(address, options);
      await untilState(page, ['idle']);
      return page;
    }),
});
