// `npm test [-- unit|gpu|e2e]` installs missing packages, builds, runs the suites and ends with the line `N passed, N
// failed` (`, N skipped` if tests were skipped; the reasons are above it). The unit tests and the tests on WebGPU run
// at the same time, because the latter keep only one core busy. The browser tests run alone. A suite that crashes or
// runs no test counts as one more failure, and so does each check that `npm run verify` names in FAILED_CHECKS.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildKernels, buildPage, installPackages, root } from './freshness.mjs';
import { runSuite } from './suite.mjs';
import { chooseVulkanDriver, findChromium, installSystemPackages } from './vulkan.mjs';

/**
 * @typedef {{ title: string, config: string, needsPage?: boolean, whyNot?: () => string | undefined }} Suite
 */

/** @satisfies {Record<string, Suite>} */
const suites = {
  unit: { title: 'unit tests', config: 'vitest.config.ts' },
  gpu: { title: 'WebGPU in Node', config: 'vitest.gpu.config.ts', whyNot: whyNoAdapter },
  e2e: { title: 'e2e in Chromium', config: 'vitest.e2e.config.ts', needsPage: true },
};
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** A suite in which no test has started or finished for this long is terminated. */
const silenceMs = 5 * 60_000;
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
// Without packages no suite runs. Without the page, the suites that do not need it still run.
const runnable = existsSync(vitest) ? chosen : [];
await Promise.all(runnable.filter((name) => name !== 'e2e').map(run));
if (runnable.includes('e2e')) await run('e2e');
finish();

/** @param {keyof typeof suites} name */
async function run(name) {
  /** @type {Suite} */
  const suite = suites[name];
  if (suite.needsPage && brokenBuild) return fail(suite.title, `not run: ${brokenBuild}`);
  if (suite.needsPage && !findChromium()) {
    return fail(suite.title, 'no Chrome or Chromium found: install one or name it with CHROME=PATH');
  }
  const reason = suite.whyNot?.();
  if (reason) return skipAll(suite, reason);

  console.log(`\n=== ${suite.title} ===`);
  const tallyFile = path.join(root, '.cache', 'tests', `${name}.jsonl`);
  const ownsTerminal = chosen.length === 1;
  add(suite, await runSuite({ cwd: root, config: suite.config, tallyFile, silenceMs, ownsTerminal }));
}

function build() {
  if (chosen.includes('e2e')) buildPage();
  else buildKernels();
}

/**
 * Runs a step. Counts a failure and returns its message.
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
 * Adds the result of one suite to the count.
 * @param {Suite} suite
 * @param {import('./suite.mjs').Outcome} outcome
 */
function add(suite, outcome) {
  const failedBefore = count.failed;
  for (const test of outcome.tests) {
    if (test.state === 'passed') count.passed++;
    else if (test.state === 'skipped') skip(`${test.file} > ${test.name}`, test.note);
    else fail(`${test.file} > ${test.name}`, test.state === 'failed' ? undefined : 'never reported: its process died');
  }
  for (const broken of outcome.brokenFiles) fail(broken.file, broken.message);
  for (const begun of outcome.underWay) fail(begun, 'under way when its suite ended');
  if (outcome.wasSilent) {
    fail(
      suite.title,
      `ended, as no test began or finished for ${silenceMs / 60_000} minutes; the tests behind did not run`,
    );
  } else if (!outcome.isComplete) {
    fail(suite.title, `its process ended (${outcome.exit}) before the suite did; the tests behind did not run`);
  } else if (outcome.tests.length === 0 && outcome.brokenFiles.length === 0) fail(suite.title, 'ran no test');
  const isGood = count.failed === failedBefore;
  for (const message of outcome.strayErrors) {
    if (suite === suites.gpu && isGood && nativeExit.test(message)) {
      console.log(`Note: Dawn ended its process badly after every result was in (${message}); not counted.`);
    } else fail(suite.title, `error outside a test: ${message}`);
  }
  if (outcome.exit !== 0 && isGood && outcome.strayErrors.length === 0) {
    fail(suite.title, `vitest ended with ${outcome.exit}`);
  }
}

/**
 * Returns why WebGPU in Node cannot run here, or undefined if it can.
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
