// Unit tests: Node, no adapter. `oneTensorflow` sees to it that there is one copy of TF.js.
// Loading the tree again for each file took a quarter of the time, so files share the modules of their process, in two
// groups: the page's, which speak English, and the rest. Those that measure memory, replace modules, test the store or start
// programs have a process each. A module under `testing` therefore registers its hooks when it is called, not when it is
// imported.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { compiledMessages, oneTensorflow, wasmUrlForNode } from './scripts/nodePlugins.mjs';

const page = ['src/state/**/*.test.ts', 'src/ui/**/*.test.ts'];
const apart = [
  'src/storage/**/*.test.ts',
  'src/engine/**/*.test.ts',
  'src/state/ownWorlds.test.ts',
  'src/state/run/hour.test.ts',
  'src/state/run/looking.test.ts',
  'src/training/preflight/**/*.test.ts',
  'src/training/run/flat.test.ts',
  'src/training/run/former.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
  'cli/**/*.test.ts',
];
const gpu = '**/*.gpu.test.ts';

export default defineConfig({
  plugins: [svelte({ configFile: false }), oneTensorflow(), wasmUrlForNode(), compiledMessages()],
  test: {
    setupFiles: ['src/state/testing/english.ts'],
    execArgv: ['--expose-gc'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'apart', include: apart, exclude: [gpu] } },
      { extends: true, test: { name: 'page', isolate: false, include: page, exclude: [gpu, ...apart] } },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['src/**/*.test.ts', 'workers/**/*.test.ts'],
          exclude: [gpu, ...page, ...apart],
        },
      },
    ],
  },
});
