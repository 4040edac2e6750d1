// Serves the built page once for the whole e2e run; tests reach it through `visit` of browser.ts.
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { serveFolder } from '../scripts/serve.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the page is served, without a trailing slash. */
    origin: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync('dist/index.html')) throw new Error('dist is not built: run `npm run build` first');
  const served = await serveFolder({ folder: 'dist', port: 4273 });
  project.provide('origin', served.url);
  return () => served.close();
}
