// `npm test [-- unit|gpu|e2e]`: installs what is missing, builds, runs the suites and ends with the line
// `N passed, N failed` (`, N skipped` where tests were skipped; the reasons stand above it). The unit tests and those on
// WebGPU run side by side, as the latter keep one core busy; the browser has the machine to itself.
// A suite that breaks, or runs no test, counts as a failure of its own; so does each check that `npm run verify` ran
// before and names in FAILED_CHECKS.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, buildPage, installPackages, root } from './freshness.mjs';
import { chooseVulkanDriver, findChromium, installSystemPackages } from './vulkan.mjs';

/**
 * @typedef {{ title: string, config: string, limitMinutes: number, needsPage?: boolean, whyNot?: () => string | undefined }} Suite
 * @typedef {{ file: string, name: string, state: string, note?: string }} TestRecord
 * @typedef {{ tests: TestRecord[], brokenFiles: { file: string, message: string }[], strayErrors: string[] }} Tally
 */

/** @satisfies {Record<string, Suite>} */
const suites = {
  unit: { title: 'unit tests', config: 'vitest.config.ts', limitMinutes: 20 },
  gpu: { title: 'WebGPU in Node', config: 'vitest.gpu.config.ts', limitMinutes: 20, whyNot: whyNoAdapter },
  e2e: { title: 'e2e in Chromium', config: 'vitest.e2e.config.ts', limitMinutes: 20, needsPage: true },
};
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const nativeExit = /worker.*(exited|emitted error|terminated)|closed unexpectedly|channel closed/i;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}: choose from ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}
const chosen = /** @type {(keyof typeof suites)[]} */ (Object.keys(suites)).filter(
  (name) => wanted.length === 0 || wanted.includes(name),
);

const count = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
/** @type {{ what: string, why: string | undefined }[]} */
const skips = [];

for (const check of (process.env.FAILED_CHECKS ?? '').split(' ').filter(Boolean)) fail(`npm run ${check}`);

installSystemPackages();
const brokenBuild = attempt('install', installPackages) ?? attempt('build', build);
// Without packages nothing runs; without a page the suites that need none still do.
const runnable = existsSync(vitest) ? chosen : [];
await Promise.all(runnable.filter((name) => name !== 'e2e').map(runSuite));
if (runnable.includes('e2e')) await runSuite('e2e');
finish();

/** @param {keyof typeof suites} name */
async function runSuite(name) {
  /** @type {Suite} */
  const suite = suites[name];
  if (suite.needsPage && brokenBuild) return fail(suite.title, `not run: ${brokenBuild}`);
  if (suite.needsPage && !findChromium()) {
    return fail(suite.title, 'no Chrome or Chromium found: install one or name it with CHROME=PATH');
  }
  const reason = suite.whyNot?.();
  if (reason) return skipAll(suite, reason);

  console.log(`\n=== ${suite.title} ===`);
  const tallyFile = path.join(root, '.cache', 'tests', `${name}.json`);
  rmSync(tallyFile, { force: true });
  const exit = await runVitest(suite, tallyFile);
  if (!existsSync(tallyFile)) return fail(suite.title, `ended (${exit}) without a report`);
  add(suite, JSON.parse(readFileSync(tallyFile, 'utf8')), exit);
}

function build() {
  if (chosen.includes('e2e')) buildPage();
  else buildKernels();
}

/**
 * Runs a step; a failure is counted and its message returned.
 * @param {string} what
 * @param {() => void} step
 */
function attempt(what, step) {
  try {
    step();
    return undefined;
  } catch (error) {
    fail(what, /** @type {Error} */ (error).message);
    return `${what} failed`;
  }
}

/**
 * @param {Suite} suite
 * @param {string} tallyFile
 * @returns {Promise<number | string | null>}
 */
function runVitest(suite, tallyFile) {
  const reporters = ['--reporter=default', `--reporter=${path.join(root, 'scripts', 'tallyReporter.mjs')}`];
  const child = spawn(process.execPath, [vitest, 'run', '--config', suite.config, ...reporters], {
    cwd: root,
    // Two suites side by side write lines; one alone may redraw its own.
    stdio: ['ignore', ...Array.from({ length: 2 }, () => (chosen.length > 1 ? 'pipe' : 'inherit'))],
    env: { ...process.env, TALLY_FILE: tallyFile, CI: process.env.CI ?? '1' },
  });
  child.stdout?.pipe(process.stdout);
  child.stderr?.pipe(process.stderr);
  return new Promise((resolve) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      fail(suite.title, `stopped after ${suite.limitMinutes} minutes`);
    }, suite.limitMinutes * 60_000);
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      resolve(signal ?? code);
    });
  });
}

/**
 * Adds one suite's report to the count.
 * @param {Suite} suite
 * @param {Tally} tally
 * @param {number | string | null} exit
 */
function add(suite, tally, exit) {
  const failedBefore = count.failed;
  for (const test of tally.tests) {
    if (test.state === 'passed') count.passed++;
    else if (test.state === 'skipped') skip(`${test.file} > ${test.name}`, test.note);
    else fail(`${test.file} > ${test.name}`, test.state === 'failed' ? undefined : 'never reported: its process died');
  }
  for (const broken of tally.brokenFiles) fail(broken.file, broken.message);
  if (tally.tests.length === 0 && tally.brokenFiles.length === 0) fail(suite.title, 'ran no test');
  const isComplete = count.failed === failedBefore;
  for (const message of tally.strayErrors) {
    if (suite === suites.gpu && isComplete && nativeExit.test(message)) {
      console.log(`Note: Dawn ended its process badly after every result was in (${message}); not counted.`);
    } else fail(suite.title, `error outside a test: ${message}`);
  }
  if (exit !== 0 && isComplete && tally.strayErrors.length === 0) fail(suite.title, `vitest ended with ${exit}`);
}

/**
 * Why WebGPU in Node cannot run here, or undefined.
 * @returns {string | undefined}
 */
function whyNoAdapter() {
  const driver = chooseVulkanDriver({ isForTests: true });
  if (driver.reason) return driver.reason;
  const env = { ...process.env, ...(driver.file ? { VK_ICD_FILENAMES: driver.file } : {}) };
  const probe = spawnSync(process.execPath, [path.join(root, 'scripts', 'probeAdapter.mjs')], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  });
  const line = (probe.stdout ?? '').trim().split('\n').at(-1);
  if (!line) return `asking for an adapter ended with ${probe.signal ?? probe.status} (driver: ${driver.name})`;
  const { name, reason } = JSON.parse(line);
  if (!reason) console.log(`Adapter: ${name} (driver: ${driver.name})`);
  return reason && `${reason} (driver: ${driver.name})`;
}

/**
 * Counts a suite that cannot run here as skipped, test by test.
 * @param {Suite} suite
 * @param {string} reason
 */
function skipAll(suite, reason) {
  const listed = spawnSync(process.execPath, [vitest, 'list', '--json', '--config', suite.config], {
    cwd: root,
    encoding: 'utf8',
  });
  /** @type {{ name: string, file: string }[]} */
  let tests;
  try {
    tests = JSON.parse(listed.stdout.slice(listed.stdout.indexOf('[')));
  } catch {
    return fail(suite.title, `cannot run (${reason}) and its tests cannot be listed`);
  }
  if (tests.length === 0) return fail(suite.title, 'has no test');
  for (const test of tests) skip(`${path.relative(root, test.file)} > ${test.name}`, reason);
}

/**
 * @param {string} what
 * @param {string} [why]
 */
function fail(what, why) {
  count.failed++;
  failures.push(why ? `${what}: ${why}` : what);
}

/**
 * @param {string} what
 * @param {string} [why]
 */
function skip(what, why) {
  count.skipped++;
  skips.push({ what, why });
}

function finish() {
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((line) => `  ${line}`).join('\n')}`);
  if (skips.length > 0) console.log('\nSkipped:');
  for (const why of new Set(skips.map((entry) => entry.why))) {
    const same = skips.filter((entry) => entry.why === why);
    console.log(`  ${why}:\n${same.map((entry) => `    ${entry.what}`).join('\n')}`);
  }
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
  process.exit(count.failed > 0 ? 1 : 0);
}
