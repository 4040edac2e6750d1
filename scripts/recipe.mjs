// The recipe of a world, followed literally in a scratch clone: `npm run new -- world signpost`, the checks that a new folder
// meets, and five iterations of training in it. Ends with 1, and names the step, where one fails.
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildKernels, root } from './freshness.mjs';

buildKernels();
const scratch = mkdtempSync(path.join(tmpdir(), 'recipe-'));
const clone = path.join(scratch, 'clone');
const folder = 'src/extensions/worlds/signpost';
/** @type {string[][]} */
const steps = [
  ['node', 'scripts/new.mjs', 'world', 'signpost'],
  ['node', 'scripts/docs.mjs'],
  ['npx', 'prettier', '--check', folder],
  ['npx', 'tsc', '-p', '.'],
  ['npx', 'eslint', '--max-warnings', '0', folder],
  ['node', 'scripts/house.mjs'],
  ['npx', 'vitest', 'run', folder, 'src/ui/messages.test.ts', 'src/tasks/recorded.test.ts'],
  ['node', 'cli/build.mjs'],
  [
    ...['node', 'dist-cli/main.mjs', 'train', '--preset', 'micro', '--set', 'world.name=signpost'],
    ...['--set', 'run.iterations=5', '--out', path.join(scratch, 'run')],
  ],
];

try {
  run('git', ['clone', '--quiet', root, clone], scratch);
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  const kernels = 'src/engine/simd/kernels.wasm';
  cpSync(path.join(root, kernels), path.join(clone, kernels));
  for (const [command = '', ...args] of steps) run(command, args, clone);
  console.log(`the recipe of a world: ${steps.length} passed, 0 failed`);
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
