// Checks the program as users get it: packed by `npm pack` and started by `npx` from the file, in an unrelated folder
// and without a registry.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { buildPage, root, runOrThrow } from '../scripts/freshness.mjs';
import { Check } from './clusters/launched.mjs';

/** Settings with which a run takes seconds. */
export const quick = ['--set', 'run.backend=cpu', '--set', 'run.iterations=1', '--set', 'evaluation.problems=8'];

/**
 * Packs and starts the program. Returns its path, the packed file, a run that it trained, and the results; `check.ends`
 * deletes the program.
 */
export function packedProgram() {
  const npm = (/** @type {string[]} */ ...args) =>
    spawnSync('npm', args, { cwd: root, encoding: 'utf8', env: outside() });
  const check = new Check('npx', npm('--version').stdout.trim());
  buildPage();
  for (const part of ['cli', 'lib'])
    runOrThrow(process.execPath, [path.join(root, part, 'build.mjs')], { stdio: 'pipe' });
  const { stdout, stderr } = npm('pack', '--json', '--pack-destination', check.folder);
  /** @type {{ filename: string, files: { path: string }[] }[]} */
  const [pack = { filename: '', files: [] }] = JSON.parse(stdout || '[]');
  const names = pack.files.map((file) => file.path);
  const strange = names.filter(
    (name) => !/^(dist|dist-cli|dist-lib)\/|^(package\.json|README\.md|LICENSE)$/.test(name),
  );
  const needed = [
    ...['dist/index.html', 'dist/warmstart/', 'dist/licences.txt'],
    ...['dist-cli/main.mjs', 'dist-cli/licences.txt', 'LICENSE'],
    ...['dist-lib/index.js', 'dist-lib/index.d.ts', 'dist-lib/kernels.wasm', 'dist-lib/licences.txt'],
  ];
  const isWhole = needed.every((start) => names.some((name) => name.startsWith(start)));
  check.says(
    'npm packs the page, the program, the library, their licences and nothing else',
    isWhole && strange.length === 0,
    `${strange} ${stderr}`,
  );

  mkdirSync(check.at('elsewhere'));
  const env = {
    ...outside(),
    npm_config_cache: check.at('cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const npx = (/** @type {string[]} */ ...args) =>
    spawnSync('npx', ['--yes', `../${pack.filename}`, ...args], { cwd: check.at('elsewhere'), encoding: 'utf8', env });
  const help = npx('--help');
  check.says(
    'npx starts it from the file, in another folder and without a registry',
    help.status === 0 && help.stdout.includes('train'),
    help.stderr,
  );
  const trained = npx('train', '--preset', 'micro', ...quick, '--out', 'first');
  const last = trained.stdout.trim().split('\n').at(-1) ?? '';
  check.says(
    'it trains an iteration and leaves an archive',
    trained.status === 0 && last.startsWith('{"event":"done","iteration":1,'),
    `${trained.status} ${last} ${trained.stderr}`,
  );
  const told = npx('info', 'first', '--json');
  const { isDone, damaged } = told.status === 0 ? JSON.parse(told.stdout) : { isDone: false, damaged: told.stderr };
  check.says('it describes the run that it trained', isDone && damaged.length === 0, damaged);
  const refused = npx('train', '--preset', 'none');
  check.says(
    'an unknown preset ends it with code 2 and one line',
    refused.status === 2 && refused.stderr.trim().split('\n').length === 1,
    `${refused.status} ${refused.stderr}`,
  );

  const installed = check.at('cache', '_npx');
  const [home = ''] = existsSync(installed) ? readdirSync(installed) : [];
  const packages = path.join(installed, home, 'node_modules');
  const others = (existsSync(packages) ? readdirSync(packages) : []).filter(
    (name) => !name.startsWith('.') && name !== 'cothink',
  );
  check.says('it installs no other package', existsSync(packages) && others.length === 0, others);
  return {
    check,
    program: path.join(packages, 'cothink', 'dist-cli', 'main.mjs'),
    tarball: check.at(pack.filename),
    run: check.at('elsewhere', 'first'),
  };
}

/** Returns the environment without the variables that `npm run` sets for this project. */
const outside = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
