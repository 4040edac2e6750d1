// The recipes of a world, a learner and a carrier, followed literally in a scratch clone: `npm run new -- world signpost`,
// `npm run new -- learner baseline` and `npm run new -- carrier report`, the checks that new folders meet, some iterations
// of training with the first two, and a file of the third. Exits with 1, and names the step, if one fails.
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildKernels, root } from './freshness.mjs';

buildKernels();
const scratch = mkdtempSync(path.join(tmpdir(), 'recipe-'));
const clone = path.join(scratch, 'clone');
const folders = [
  'src/extensions/worlds/signpost',
  'src/extensions/learners/baseline',
  'src/extensions/carriers/report',
];
const train = (/** @type {string} */ setting, /** @type {string} */ out) => [
  ...['node', 'dist-cli/main.mjs', 'train', '--preset', 'micro', '--set', setting],
  ...['--set', 'run.iterations=5', '--out', path.join(scratch, out)],
];
/** @type {string[][]} */
const steps = [
  ['node', 'scripts/new.mjs', 'world', 'signpost'],
  ['node', 'scripts/new.mjs', 'learner', 'baseline'],
  ['node', 'scripts/new.mjs', 'carrier', 'report'],
  ['node', 'scripts/docs.mjs'],
  ['npx', 'prettier', '--check', ...folders],
  ['npx', 'tsc', '-p', '.'],
  ['npx', 'eslint', '--max-warnings', '0', ...folders],
  ['node', 'scripts/house.mjs'],
  [
    ...['npx', 'vitest', 'run', ...folders, 'src/ui/messages.test.ts', 'src/ui/glossary', 'src/tasks/reasons.test.ts'],
    ...['src/training/learners/registry.test.ts', 'bench/learners.test.ts', 'cli/stored/carriers.test.ts'],
  ],
  ['node', 'cli/build.mjs'],
  train('world.name=signpost', 'world'),
  train('learning.learner=baseline', 'learner'),
  ['node', 'dist-cli/main.mjs', 'export', path.join(scratch, 'learner'), '--as', 'report'],
];

try {
  run('git', ['clone', '--quiet', root, clone], scratch);
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  const kernels = 'src/engine/simd/kernels.wasm';
  cpSync(path.join(root, kernels), path.join(clone, kernels));
  for (const [command = '', ...args] of steps) run(command, args, clone);
  console.log(`the recipes of a world, a learner and a carrier: ${steps.length} passed, 0 failed`);
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  const words = [command, ...args].join(' ');
  if (status !== 0) throw new Error(`${words} failed (${status}):\n${stdout}\n${stderr}`);
  console.log(`ok     ${words} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}
