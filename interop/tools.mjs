// Prepares the tools and runs them: a Python environment with their pinned versions is created once outside the tree,
// and the last line of each program contains its results.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../scripts/freshness.mjs';

/** @typedef {{ version: string, passed: number, failed: number }} Count */
/** The counts of each tool. @typedef {Record<string, Count>} Counts */

const listOf = (/** @type {string} */ list) =>
  readFileSync(path.join(root, 'interop', list), 'utf8')
    .trim()
    .split('\n');

/** Returns the version that a list pins. @param {string} list @param {string} name */
export const pinned = (list, name) =>
  listOf(list)
    .find((line) => line.startsWith(name))
    ?.split('==')[1] ?? '';

/**
 * Returns the interpreter of an environment with the packages of a list. If it cannot be made, prints the reason and
 * returns null.
 * @param {string} list
 */
export function readyPython(list) {
  const wanted = listOf(list);
  const unchecked = (/** @type {string} */ reason) => {
    console.log(`Not checked against ${wanted.join(', ')}: ${reason}.`);
    return null;
  };
  const digest = createHash('sha256').update(wanted.join('\n')).digest('hex').slice(0, 12);
  const home = path.join(tmpdir(), `cothink-interop-${digest}`);
  const python = path.join(home, 'bin', 'python');
  if (existsSync(python)) return python;
  const begun = `${home}.begun`;
  rmSync(begun, { recursive: true, force: true });
  if (spawnSync('python3', ['-m', 'venv', begun]).status !== 0) return unchecked('there is no Python with venv here');
  console.log(`Installing ${wanted.join(', ')} …`);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    path.join(root, 'interop', list),
  ];
  if (spawnSync(path.join(begun, 'bin', 'python'), pip).status !== 0) return unchecked('they could not be installed');
  renameSync(begun, home);
  return python;
}

/** The names of the builds of llama.cpp, by platform and processor. @type {Record<string, string>} */
const llamaCppBuilds = {
  'linux x64': 'linux-x64',
  'linux arm64': 'linux-arm64',
  'darwin arm64': 'mac-arm64-metal',
  'darwin x64': 'mac-x64',
  'win32 x64': 'win-x64',
};

/**
 * Returns the folder of node-llama-cpp with llama.cpp built for the CPU. If it cannot be made, prints the reason and
 * returns null.
 */
export function readyLlamaCpp() {
  const version = pinned('llamaCpp.txt', 'node-llama-cpp');
  const build = llamaCppBuilds[`${process.platform} ${process.arch}`];
  const unchecked = (/** @type {string} */ reason) => {
    console.log(`Not checked against llama.cpp (node-llama-cpp ${version}): ${reason}.`);
    return null;
  };
  if (build === undefined) return unchecked(`it is not built for ${process.platform} on ${process.arch}`);
  const home = path.join(tmpdir(), `cothink-interop-llama-cpp-${version}`);
  if (existsSync(home)) return home;
  const begun = `${home}.begun`;
  rmSync(begun, { recursive: true, force: true });
  mkdirSync(begun);
  writeFileSync(path.join(begun, 'package.json'), '{ "private": true }\n');
  console.log(`Installing node-llama-cpp ${version} …`);
  // Installs only the build for this processor. Without its install scripts, the package builds and downloads nothing.
  const packages = ['node-llama-cpp', `@node-llama-cpp/${build}`].map((name) => `${name}@${version}`);
  const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  if (spawnSync(npm, ['install', ...options, ...packages], { cwd: begun }).status !== 0)
    return unchecked('it could not be installed');
  renameSync(begun, home);
  return home;
}

/**
 * Returns the arguments of `node` for a program of Cothink.
 * @param {string} file @param {string[]} args @returns {string[]}
 */
export const ownProgram = (file, ...args) => [path.join(root, 'scripts', 'runTs.mjs'), `interop/${file}`, ...args];

/** The beginning of the line with which a program reports its results. */
const told = 'counts ';

/**
 * Runs a program to its end, prints its lines (except those for programs) and returns its counts. If the program fails
 * without a failed check, this counts as one failure under its name.
 * @param {string} name @param {string} command @param {string[]} given @returns {Promise<Counts>}
 */
export async function counted(name, command, given) {
  const child = spawn(command, given, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  /** @type {Counts} */
  let counts = {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith(told)) counts = JSON.parse(line.slice(told.length));
    else if (!line.startsWith('{')) console.log(line);
  });
  const code = await new Promise((resolve) => child.on('error', resolve).on('close', resolve));
  if (code === 0 || failedIn(counts) > 0) return counts;
  console.log(`FAILED ${name} ended with ${code}`);
  return { ...counts, [name]: { version: '', passed: 0, failed: 1 } };
}

/**
 * Runs programs one after the other until one fails.
 * @param {[name: string, command: string, given: string[]][]} programs
 */
export async function inOrder(programs) {
  /** @type {Counts} */
  let counts = {};
  for (const program of programs) {
    if (failedIn(counts) > 0) break;
    counts = together(counts, await counted(...program));
  }
  return counts;
}

/** @param {Counts} counts */
export const failedIn = (counts) => Object.values(counts).reduce((sum, { failed }) => sum + failed, 0);

/** Adds the counts of each tool. @param {Counts} some @param {Counts} others @returns {Counts} */
export function together(some, others) {
  const sum = { ...some };
  for (const [tool, { version, passed, failed }] of Object.entries(others)) {
    const before = sum[tool] ?? { version, passed: 0, failed: 0 };
    sum[tool] = { version: before.version || version, passed: before.passed + passed, failed: before.failed + failed };
  }
  return sum;
}
