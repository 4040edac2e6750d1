// Workload A on WebGPU inside Chromium (SwiftShader where the machine has no GPU): the page is bundled, served from
// this machine and asked for steps, one engine after the other, each in a browser of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { serveFolder } from '../../scripts/serve.mjs';
import { findChromium } from '../../scripts/vulkan.mjs';
import { parameterCount } from '../../src/config/sizes.ts';
import type { Opened, Sample } from './process.ts';
import type { BenchPage } from './page.ts';
import type { Measured, Pace } from './rounds.ts';
import { stepWork } from './work.ts';

const flags = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
/** Chromium's own software adapter; without it a machine with a GPU offers that one. */
const software = '--use-webgpu-adapter=swiftshader';

/** Rows like those of the other engines; backends are named `webgpu`, adapters as the browser names them. */
export async function measureInChromium(pace: Pace): Promise<Measured[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-page-'));
  await bundlePage(folder);
  const served = await serveFolder({ folder, port: 4374 });
  try {
    const measured: Measured[] = [];
    for (const engine of ['cothink', 'tfjs', 'jax-js']) measured.push(await visit(served.url, engine, pace));
    return measured;
  } finally {
    await served.close();
    rmSync(folder, { recursive: true });
  }
}

async function bundlePage(folder: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      target: 'es2022',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: 'bench/step/page.ts', output: { entryFileNames: 'main.js' } },
    },
  });
  writeFileSync(
    path.join(folder, 'index.html'),
    '<!doctype html><title>bench</title><script type="module" src="/main.js"></script>',
  );
}

async function visit(url: string, engine: string, pace: Pace): Promise<Measured> {
  const entry = { workload: 'A', engine, backend: 'webgpu' } as const;
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: process.env['VK_ICD_FILENAMES']?.includes('swiftshader') ? [...flags, software] : flags,
  });
  const warm: Sample[] = [];
  const samples: Sample[] = [];
  let opened: Opened | null = null;
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(`${url}/?engine=${engine}`);
    const bench = () => (globalThis as unknown as { benchPage: BenchPage }).benchPage;
    const handle = await page.evaluateHandle(bench);
    const adapter = await handle.evaluate((own) => own.open());
    opened = {
      backend: 'webgpu',
      adapter: `${adapter}, Chromium ${browser.version()}`,
      parameters: parameterCount(stepWork('A').shape),
    };
    const take = async (): Promise<Sample> => {
      const { loss, submitMs, encodeMs = null, ms, dispatches, submits } = await handle.evaluate((own) => own.step());
      return { ms, cpuMs: Number.NaN, loss, submitMs, encodeMs, dispatches, submits, tokens: null, extra: {} };
    };
    for (let i = 0; i < 2; i++) warm.push(await take());
    const spent = () => samples.reduce((sum, { ms }) => sum + ms, 0);
    while (samples.length < pace.least || (samples.length < pace.count && spent() < pace.limitMs))
      samples.push(await take());
    return { entry, opened, warm, samples };
  } catch (error) {
    return { entry, opened, warm, samples, absent: (error as Error).message.split('\n')[0] };
  } finally {
    await browser.close();
  }
}
