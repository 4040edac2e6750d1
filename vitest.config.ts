// Unit tests: Node, no adapter.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { bundledPackages } from './scripts/testBundle.mjs';
import { compiledMessages, wasmUrlForNode } from './scripts/nodePlugins.mjs';

export default defineConfig({
  plugins: [svelte({ configFile: false }), bundledPackages(), wasmUrlForNode(), compiledMessages()],
  test: {
    include: [
      'src/**/*.test.ts',
      'workers/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'cli/**/*.test.ts',
    ],
    exclude: ['**/*.gpu.test.ts'],
    setupFiles: ['src/state/testing/english.ts'],
    execArgv: ['--expose-gc'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
  },
});
