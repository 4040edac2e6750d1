// Unit tests: Node, no adapter. To load the modules takes half a second a file, so files share the modules of their process
// where no module keeps anything that a test changes: in the rooms below the engine, and in engine, model and training,
// where each file starts on the same backend. Every other file has modules of its own: those of the page, those that
// register backends or measure memory, and those that start programs.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { bundledPackages } from './scripts/testBundle.mjs';
import { wasmUrlForNode } from './scripts/nodePlugins.mjs';

const gpu = '**/*.gpu.test.ts';
const below = [
  'base',
  'config',
  'records',
  'text',
  'formats',
  'tasks',
  'rollout',
  'lessons',
  'exercises',
  'migrations',
];
const tensors = ['engine', 'model', 'training'];
const inRooms = (rooms: readonly string[]) => rooms.map((room) => `src/${room}/**/*.test.ts`);
const worlds = 'src/extensions/worlds/*/*.test.ts';
/** They register backends or measure memory. */
const alone = [
  'src/engine/choice.test.ts',
  'src/engine/simd/threads/*.test.ts',
  'src/training/preflight/preflight.test.ts',
  'src/training/rows/memory.test.ts',
  'src/training/run/flat.test.ts',
  'src/training/run/leaks.test.ts',
];

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
            `src/!(${[...below, ...tensors].join('|')})/**/*.test.ts`,
            ...['workers', 'scripts', 'bench', 'cli', 'interop', 'lib'].map((folder) => `${folder}/**/*.test.ts`),
            ...alone,
          ],
          exclude: [gpu, worlds],
        },
      },
      {
        extends: true,
        test: { name: 'below', isolate: false, include: [...inRooms(below), worlds], exclude: [gpu] },
      },
      {
        extends: true,
        test: {
          name: 'tensors',
          isolate: false,
          setupFiles: ['src/engine/testing/defaultBackend.ts'],
          include: inRooms(tensors),
          exclude: [gpu, ...alone],
        },
      },
    ],
  },
});
