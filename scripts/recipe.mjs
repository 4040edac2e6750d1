// Follows the recipes for a world, a learner and a carrier in a scratch clone: `npm run new -- world signpost`, `npm
// run new -- learner baselineOfTheGroup` and `npm run new -- carrier report`, then the checks for new folders, some
// iterations of training with the world and the learner, and a file of the carrier. A team must learn the world in the
// first preset. If a step fails, prints it and exits with 1.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildKernels, root } from './freshness.mjs';

buildKernels();
const scratch = mkdtempSync(path.join(tmpdir(), 'recipe-'));
const clone = path.join(scratch, 'clone');
/** @type {{ workspaces: string[] }} */
const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folders = [
  'src/extensions/worlds/signpost',
  'src/extensions/learners/baselineOfTheGroup',
  'src/extensions/carriers/report',
];
/** @param {string} out @param {string[]} settings */
const train = (out, ...settings) => [
  ...['node', 'dist-cli/main.mjs', 'train', '--out', path.join(scratch, out), '--json'],
  ...settings.flatMap((setting) => ['--set', setting]),
];
const fewDemonstrations = ['warmStart.source=train', 'warmStart.steps=400'];
/** @type {string[][]} */
const steps = [
  ['node', 'scripts/new.mjs', 'world', 'signpost'],
  ['node', 'scripts/new.mjs', 'learner', 'baselineOfTheGroup', 'Baseline of the group'],
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
  train('world', 'world.name=signpost', ...fewDemonstrations, 'run.iterations=8', 'evaluation.every=8'),
  [...train('learner', 'learning.learner=baselineOfTheGroup', 'run.iterations=5'), '--preset', 'micro'],
  ['node', 'dist-cli/main.mjs', 'export', path.join(scratch, 'learner'), '--as', 'report'],
];

try {
  run('git', ['clone', '--quiet', root, clone], scratch);
  // If two parts need different versions of a package, one of them lies in the folder of its part.
  for (const part of ['.', ...workspaces])
    if (existsSync(path.join(root, part, 'node_modules')))
      symlinkSync(path.join(root, part, 'node_modules'), path.join(clone, part, 'node_modules'));
  const kernels = 'src/engine/simd/kernels.wasm';
  cpSync(path.join(root, kernels), path.join(clone, kernels));
  for (const [command = '', ...args] of steps) {
    const output = run(command, args, clone);
    if (args.includes('world.name=signpost')) expectLearned(output);
  }
  console.log(`the recipes of a world, a learner and a carrier: ${steps.length} passed, 0 failed`);
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true });
}

/**
 * Throws unless training increased the held-out accuracy by at least a fifth.
 * @param {string} output
 */
function expectLearned(output) {
  const evaluations = output.split('\n').filter((line) => line.startsWith('{"event":"evaluation"'));
  const [before = 1, after = 0] = evaluations.map((line) => JSON.parse(line).accuracy);
  const accuracies = `${before.toFixed(2)} → ${after.toFixed(2)}`;
  if (after - before < 0.2) throw new Error(`the new world is not learned in the first preset: ${accuracies}`);
  console.log(`       right answers: ${accuracies}`);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {string} what it wrote
 */
function run(command, args, cwd) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  const words = [command, ...args].join(' ');
  if (status !== 0) throw new Error(`${words} failed (${status}):\n${stdout}\n${stderr}`);
  console.log(`ok     ${words} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  return stdout;
}
