// End-to-end tests: the built page in Chromium. Two browsers at a time: one alone leaves a third of two cores idle.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { oneTensorflow, wasmUrlForNode } from './scripts/nodePlugins.mjs';

export default defineConfig({
  plugins: [svelte({ configFile: false }), oneTensorflow(), wasmUrlForNode()],
  test: {
    include: ['e2e/**/*.spec.ts'],
    globalSetup: [path.join(import.meta.dirname, 'e2e/server.ts')],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } }, // workers answer late on a busy machine; playwright waits as long
  },
});
