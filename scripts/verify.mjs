// `npm run verify`: every check of form, then the tests. All checks run even if one fails, so that one run shows
// everything; the last line stays the tests' count, with each failed check counted as a failure.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { installPackages, root } from './freshness.mjs';

const checks = ['format', 'lint', 'types', 'deps', 'house', 'knip', 'docs', 'interop'];

installPackages();
const failed = [];
for (const check of checks) {
  const startedAtMs = performance.now();
  const isGood = npmRun(check);
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${check} (${((performance.now() - startedAtMs) / 1000).toFixed(1)} s)`);
  if (!isGood) failed.push(check);
}

const tests = spawnSync(process.execPath, [path.join(root, 'scripts', 'test.mjs')], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FAILED_CHECKS: failed.join(' ') },
});
process.exit(tests.status ?? 1);

/** @param {string} script */
function npmRun(script) {
  return (
    spawnSync('npm', ['run', '--silent', script], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
      .status === 0
  );
}
