// Measures workload A on WebGPU inside Chromium (SwiftShader if the machine has no GPU): a page is bundled, served from
// this machine and asked for steps, one engine after the other, each in a separate browser.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serveFolder } from '../../scripts/serve.mjs';
import { parameterCount } from '../../src/config/sizes.ts';
import { inChromium } from '../shared/chromium.ts';
import type { Sample } from './process.ts';
import type { BenchPage } from './page.ts';
import { isEnough, type Measured, type Pace } from './rounds.ts';
import { stepWork } from './work.ts';

const webGpu = '--enable-unsafe-webgpu';
/** Chromium's own software adapter; without this setting a machine with a GPU offers the GPU. */
const software = '--use-webgpu-adapter=swiftshader';

/** Returns rows like those of the other engines. The backend is `webgpu`, and adapters have the browser's names. */
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

function visit(url: string, engine: string, pace: Pace): Promise<Measured> {
  const entry = { workload: 'A', engine, backend: 'webgpu' } as const;
  const isSoftware = process.env['VK_ICD_FILENAMES']?.includes('swiftshader');
  const measured: Measured = { entry, opened: null, warm: [], samples: [] };
  const { warm, samples } = measured;
  const measure = inChromium(
    async (profile, browser) => {
      const page = await profile.newPage();
      page.setDefaultTimeout(0);
      await page.goto(`${url}/?engine=${engine}`);
      const bench = () => (globalThis as unknown as { benchPage: BenchPage }).benchPage;
      const handle = await page.evaluateHandle(bench);
      const adapter = `${await handle.evaluate((own) => own.open())}, Chromium ${browser.version()}`;
      measured.opened = { backend: 'webgpu', adapter, parameters: parameterCount(stepWork('A').shape) };
      const take = async (): Promise<Sample> => {
        const { loss, submitMs, encodeMs = null, ms, dispatches, submits } = await handle.evaluate((own) => own.step());
        return { ms, cpuMs: Number.NaN, loss, submitMs, encodeMs, dispatches, submits, tokens: null, extra: {} };
      };
      for (let i = 0; i < 2; i++) warm.push(await take());
      while (!isEnough(measured, pace)) samples.push(await take());
      return measured;
    },
    isSoftware ? [webGpu, software] : [webGpu],
  );
  return measure.catch((error: unknown) => ({
    ...measured,
    absent: (error as Error).message.split('\n')[0] as string,
  }));
}
