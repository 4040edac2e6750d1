// Builds outputs that are older than their sources. Used by `npm start` and `npm test`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Written into dist after a build has passed all checks, including the size budget. */
export const buildStamp = '.built';

const pageSources = [
  'src',
  'workers',
  'cli',
  'public',
  'messages',
  'index.html',
  'embed.html',
  'vite.config.ts',
  'svelte.config.js',
  'tsconfig.json',
  'package-lock.json',
  'scripts/buildSimd.mjs',
  'scripts/runTs.mjs',
  'scripts/nodePlugins.mjs',
  'scripts/headers.mjs',
  'scripts/lessCode.mjs',
  'scripts/licences.mjs',
];

/**
 * Runs a command with its output shown; throws with its name when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function runOrThrow(command, args, options = {}) {
  const isNpm = command === 'npm';
  // On Windows npm is a .cmd file, which needs a shell.
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: isNpm && process.platform === 'win32',
    ...options,
  });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed (${result.signal ?? result.status})`);
}

/**
 * Runs `npm ci` if node_modules is missing or older than the lock file. The page is built and served with the packages
 * of the root alone; `isForAll` installs those of the workspaces too, which benches, tests and checks against other
 * programs use.
 * @param {{ isForAll?: boolean }} options
 */
export function installPackages({ isForAll = true } = {}) {
  const modules = path.join(root, 'node_modules');
  const stamp = path.join(modules, '.package-lock.json');
  const lock = path.join(root, 'package-lock.json');
  const isNew = existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs;
  if (isNew && (!isForAll || existsSync(path.join(modules, 'cothink-bench')))) return;
  console.log('Installing packages (npm ci) …');
  runOrThrow('npm', ['ci', '--no-audit', '--no-fund', ...(isForAll ? [] : ['--workspaces=false'])]);
}

/** Builds the page if dist is missing or older than its sources. */
export function buildPage() {
  const built = path.join(root, 'dist', buildStamp);
  const newest = Math.max(...pageSources.map((name) => newestChange(path.join(root, name))));
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return;
  console.log('Building the page …');
  runOrThrow(process.execPath, [path.join(root, 'scripts', 'build.mjs')]);
}

/** Compiles the SIMD kernels, which the page and the unit tests load. */
export function buildKernels() {
  const script = path.join(root, 'scripts', 'buildSimd.mjs');
  if (existsSync(script)) runOrThrow(process.execPath, [script]);
}

/**
 * Returns the latest modification of a file or of anything in a folder, in ms since 1970, or 0 if it does not exist.
 * @param {string} name
 * @returns {number}
 */
function newestChange(name) {
  if (!existsSync(name)) return 0;
  const details = statSync(name);
  if (!details.isDirectory()) return details.mtimeMs;
  const inside = readdirSync(name).map((entry) => newestChange(path.join(name, entry)));
  return Math.max(details.mtimeMs, ...inside);
}
