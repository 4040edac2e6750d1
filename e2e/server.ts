// Serves the built page for all end-to-end tests, which open it with `visit` of browser.ts. PAGE_FOLDER names another
// build than `dist`.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { serveFolder } from '../scripts/serve.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the page is served, without a trailing slash. */
    origin: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = process.env['PAGE_FOLDER'] ?? 'dist';
  if (!existsSync(path.join(folder, 'index.html'))) {
    throw new Error(`${folder} holds no built page: run \`npm run build\` first`);
  }
  const served = await serveFolder({ folder, port: 4273 });
  project.provide('origin', served.url);
  return () => served.close();
}
