// End-to-end tests: the built page in Chromium. One browser at a time, as two would share the cores.
import { defineConfig } from 'vitest/config';
import { oneTensorflow, wasmUrlForNode } from './scripts/nodePlugins.mjs';

export default defineConfig({
  plugins: [oneTensorflow(), wasmUrlForNode()],
  test: {
    include: ['e2e/**/*.spec.ts'],
    globalSetup: ['e2e/server.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
