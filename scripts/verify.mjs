// `npm run verify` runs every static check, two at a time, and then the tests. All checks run even if one fails, so
// that one run shows everything. The last line is the count of the tests, in which each failed check counts as a
// failure.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildKernels, installPackages, root } from './freshness.mjs';

// The longest checks start first, so that neither of the two workers waits long for the other.
const checks = ['lint', 'types', 'interop', 'recipe', 'format', 'docs', 'deps', 'knip', 'house'];

installPackages();
buildKernels(); // several checks need the kernels
/** @type {string[]} */
const failed = [];
const waiting = [...checks];
await Promise.all([runNext(), runNext()]);

async function runNext() {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const startedAtMs = performance.now();
    const { isGood, said } = await npmRun(check);
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`${said}${isGood ? 'ok    ' : 'FAILED'} ${check} (${seconds} s)`);
    if (!isGood) failed.push(check);
  }
}

const tests = spawnSync(process.execPath, [path.join(root, 'scripts', 'test.mjs')], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FAILED_CHECKS: failed.join(' ') },
});
process.exit(tests.status ?? 1);

/**
 * Runs a script of package.json to its end, and returns its output.
 * @param {string} script
 * @returns {Promise<{ isGood: boolean, said: string }>}
 */
function npmRun(script) {
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, shell: process.platform === 'win32' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ isGood: false, said: `${message}\n` }));
    child.on('close', (code) => resolve({ isGood: code === 0, said }));
  });
}
