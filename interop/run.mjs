// `npm run interop`: shows what other tools make of the files that a visitor takes away. Their pinned versions are installed
// into a virtual environment outside the tree, once. Where there is no Python, or nothing can be installed, it says what was
// not checked.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPage, installPackages, root } from '../scripts/freshness.mjs';

/** @param {string} command @param {readonly string[]} given */
const run = (command, given, quiet = false) =>
  spawnSync(command, given, { cwd: root, stdio: quiet ? 'pipe' : 'inherit', encoding: 'utf8' });

/**
 * The interpreter of an environment that holds what a list names; null where there can be none, with the reason told.
 * @param {string} list
 */
function readyPython(list) {
  const requirements = path.join(root, 'interop', list);
  const wanted = readFileSync(requirements, 'utf8').trim().split('\n');
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
  const made = run('python3', ['-m', 'venv', begun], true);
  if (made.error || made.status !== 0) return unchecked('there is no Python with venv here');
  console.log(`Installing ${wanted.join(', ')} …`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  if (run(path.join(begun, 'bin', 'python'), pip, true).status !== 0) return unchecked('they could not be installed');
  renameSync(begun, home);
  return python;
}

/**
 * Lets transformers write models, reads them here, and lets transformers judge what was read.
 * @param {string} interpreter @param {string} folder
 */
function importsChecked(interpreter, folder) {
  mkdirSync(folder);
  const theirs = (/** @type {string} */ step) => [interpreter, [path.join(root, 'interop', 'llama.py'), step, folder]];
  const ours = [process.execPath, [path.join(root, 'scripts', 'runTs.mjs'), 'interop/llama.ts', folder]];
  for (const [command, given] of /** @type {[string, string[]][]} */ ([theirs('make'), ours, theirs('check')])) {
    const { status } = run(command, given);
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

/**
 * Serves a small run by the program as it is shipped, and lets clients of other makers ask it.
 * @param {string} interpreter
 */
function serversChecked(interpreter) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-interop-served-'));
  const program = path.join(folder, 'dist-cli', 'main.mjs');
  const stored = path.join(folder, 'run');
  const quick = ['--preset', 'micro', '--set', 'run.backend=cpu', '--set', 'run.iterations=1', '--out', stored];
  buildPage();
  symlinkSync(path.join(root, 'dist'), path.join(folder, 'dist'));
  const steps = /** @type {[string, string[], boolean][]} */ ([
    [process.execPath, [path.join(root, 'cli', 'build.mjs'), path.dirname(program)], true],
    [process.execPath, [program, 'train', ...quick], true],
    [interpreter, [path.join(root, 'interop', 'servers.py'), program, stored], false],
  ]);
  const failed = steps.map((step) => run(...step).status ?? 1).find((status) => status !== 0);
  rmSync(folder, { recursive: true });
  return failed ?? 0;
}

installPackages();
const python = readyPython('requirements.txt');
if (python) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-interop-files-'));
  const made = run(process.execPath, [path.join(root, 'scripts', 'runTs.mjs'), 'interop/files.ts', folder]);
  const checked = made.status === 0 ? run(python, [path.join(root, 'interop', 'check.py'), folder]) : made;
  const imported = importsChecked(python, path.join(folder, 'llama'));
  rmSync(folder, { recursive: true });
  process.exitCode = (checked.status ?? 1) || imported;
}
const clients = readyPython('servers.txt');
if (clients) process.exitCode = serversChecked(clients) || (process.exitCode ?? 0);
