// `npm run interop`: shows what other tools make of the files that a visitor takes away. Their pinned versions are installed
// into a virtual environment outside the tree, once. Where there is no Python, or nothing can be installed, it says what was
// not checked. `npm run interop -- ray slurm kubernetes` shows `cothink launch` with those engines instead, which takes
// minutes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPage, installPackages, root, runOrThrow } from '../scripts/freshness.mjs';
import { kubernetesChecked } from './clusters/kubernetes.mjs';
import { rayChecked } from './clusters/ray.mjs';
import { slurmChecked } from './clusters/slurm.mjs';

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
 * Lets clients of other makers ask the program as it is shipped, and other trainers go on with a run of it.
 * @param {string | null} trainers @param {string | null} clients interpreters; null for what is not checked
 */
function programChecked(trainers, clients) {
  const program = builtProgram();
  const folder = path.dirname(path.dirname(program));
  const at = (/** @type {string} */ name) => path.join(folder, name);
  const ours = (/** @type {string[]} */ ...given) => [process.execPath, [program, ...given], true];
  const quick = ['--set', 'run.backend=cpu', '--set', 'run.iterations=1', '--set', 'evaluation.problems=8'];
  const few = ['--set', 'learning.problemsPerIteration=16'];
  const asked = [
    ours('train', '--preset', 'micro', ...quick, '--out', at('served')),
    [clients, [path.join(root, 'interop', 'servers.py'), program, at('served')], false],
  ];
  const goneOn = [
    ours('train', '--preset', 'alone', ...quick, ...few, '--out', at('alone')),
    ...['trl', 'verl'].map((name) => ours('export', at('alone'), '--for', name, '--out', at(`exported/${name}`))),
    [trainers, [path.join(root, 'interop', 'trainers.py'), program, at('alone'), at('exported')], false],
  ];
  const steps = /** @type {[string, string[], boolean][]} */ ([...(clients ? asked : []), ...(trainers ? goneOn : [])]);
  const failed = steps.map((step) => run(...step).status ?? 1).find((status) => status !== 0);
  rmSync(folder, { recursive: true });
  return failed ?? 0;
}

/** The program as it is shipped, in a folder of its own. */
function builtProgram() {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-interop-program-'));
  const program = path.join(folder, 'dist-cli', 'main.mjs');
  buildPage();
  symlinkSync(path.join(root, 'dist'), path.join(folder, 'dist'));
  runOrThrow(process.execPath, [path.join(root, 'cli', 'build.mjs'), path.dirname(program)], { stdio: 'pipe' });
  return program;
}

/** What the gate runs. */
function filesChecked() {
  const python = readyPython('requirements.txt');
  let failed = 0;
  if (python) {
    const folder = mkdtempSync(path.join(tmpdir(), 'cothink-interop-files-'));
    const made = run(process.execPath, [path.join(root, 'scripts', 'runTs.mjs'), 'interop/files.ts', folder]);
    const checked = made.status === 0 ? run(python, [path.join(root, 'interop', 'check.py'), folder]) : made;
    const imported = importsChecked(python, path.join(folder, 'llama'));
    rmSync(folder, { recursive: true });
    failed = (checked.status ?? 1) || imported;
  }
  const clients = readyPython('servers.txt');
  return python || clients ? programChecked(python, clients) || failed : failed;
}

/**
 * A check that needs a Python with the packages of a list.
 * @param {string} list @param {(python: string, program: string) => Promise<number>} check
 */
const withPython = (list, check) => async (/** @type {string} */ program) => {
  const interpreter = readyPython(list);
  return interpreter ? check(interpreter, program) : 0;
};

/** @type {Record<string, (program: string) => Promise<number>>} */
const engines = {
  ray: withPython('ray.txt', rayChecked),
  slurm: slurmChecked,
  kubernetes: withPython('kubernetes.txt', kubernetesChecked),
};
const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in engines));
if (unknown.length > 0) {
  console.error(`There is no engine ${unknown.join(', ')}: choose from ${Object.keys(engines).join(', ')}.`);
  process.exit(2);
}
installPackages();
if (named.length === 0) process.exitCode = filesChecked();
else {
  const program = builtProgram();
  for (const name of named) process.exitCode = (await engines[name]?.(program)) ? 1 : (process.exitCode ?? 0);
  rmSync(path.dirname(path.dirname(program)), { recursive: true });
}
