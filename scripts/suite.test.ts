import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSuite } from './suite.mjs';

const root = mkdtempSync(path.join(tmpdir(), 'suite-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
symlinkSync(path.resolve('node_modules'), path.join(root, 'node_modules'));
writeFileSync(
  path.join(root, 'vitest.config.mjs'),
  `export default { test: { include: ['tests/*.test.js'], fileParallelism: false, pool: 'forks' } };`,
);

/** Runs a suite of one file and returns its result. */
async function outcomeOf(source: string) {
  mkdirSync(path.join(root, 'tests'), { recursive: true });
  writeFileSync(path.join(root, 'tests', 'a.test.js'), `import { expect, it } from 'vitest';\n${source}`);
  const place = { cwd: root, config: path.join(root, 'vitest.config.mjs'), tallyFile: path.join(root, 'tally.jsonl') };
  const { tests, ...rest } = await runSuite({ ...place, silenceMs: 10_000 });
  return { ...rest, states: Object.fromEntries(tests.map(({ name, state }) => [name, state])) };
}

it('a silent suite is ended and reports the passed tests and the test that was running', async () => {
  // Vitest sends results in small batches, late on a busy machine, so the loop starts some seconds later.
  const hangs = `it('hangs', async () => { await new Promise((go) => setTimeout(go, 4000)); for (;;); });`;
  const outcome = await outcomeOf(`it('sums', () => {});\n${hangs}\nit('waits', () => {});`);
  expect(outcome).toMatchObject({ states: { sums: 'passed' }, wasSilent: true, isComplete: false, exit: 'SIGKILL' });
  expect(outcome.underWay).toEqual(['tests/a.test.js > hangs']);
});

it('a finished suite reports every outcome, and the reason why a test did not run', async () => {
  const outcome = await outcomeOf(
    `it('sums', () => {});\nit('fails', () => expect(1).toBe(2));\nit('rests', ({ skip }) => skip('no adapter'));`,
  );
  expect(outcome).toMatchObject({ isComplete: true, wasSilent: false, exit: 1, underWay: [], brokenFiles: [] });
  expect(outcome.states).toEqual({ sums: 'passed', fails: 'failed', rests: 'skipped' });
});

it('a file that cannot be loaded is reported with the reason', async () => {
  const outcome = await outcomeOf(`throw new Error('no such thing');`);
  expect(outcome.brokenFiles).toEqual([{ file: 'tests/a.test.js', message: 'no such thing' }]);
});
