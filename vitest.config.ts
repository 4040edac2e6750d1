// Unit tests: Node, no adapter. Files of the rooms below the engine share the modules of their process, as no module there
// keeps anything that a test changes; each other file has modules of its own, since engine and page do.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { bundledPackages } from './scripts/testBundle.mjs';
import { wasmUrlForNode } from './scripts/nodePlugins.mjs';

const gpu = '**/*.gpu.test.ts';
const below = ['base', 'config', 'records', 'text', 'formats', 'tasks', 'rollout', 'lessons', 'exercises'];
const shared = [...below.map((room) => `src/${room}/**/*.test.ts`), 'src/extensions/worlds/*/*.test.ts'];

export default defineConfig({
  plugins: [svelte({ configFile: false }), bundledPackages(), wasmUrlForNode()],
  test: {
    setupFiles: ['src/state/testing/english.ts'],
    execArgv: ['--expose-gc'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'apart',
          include: [
            'src/**/*.test.ts',
            'workers/**/*.test.ts',
            'scripts/**/*.test.ts',
            'bench/**/*.test.ts',
            'cli/**/*.test.ts',
            'interop/**/*.test.ts',
          ],
          exclude: [gpu, ...shared],
        },
      },
      { extends: true, test: { name: 'below', isolate: false, include: shared, exclude: [gpu] } },
    ],
  },
});
