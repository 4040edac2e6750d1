// `npm run interop`: checks the exports in other tools, and that the program runs as it is packed. Pinned versions of
// the tools are installed into virtual environments outside the tree, once. If there is no Python, or nothing can be
// installed, it reports what was not checked. `npm run interop -- ray slurm kubernetes` checks `cothink launch` with
// those engines instead, which takes minutes; the ones that were not requested are named at the end. `npm run interop --
// --long` trains Pass it on in TRL and in Cothink, which takes two hours and needs a model (COTHINK_MODEL). With `--store` the
// results are stored in bench/results/interop.json. The last line counts all checks.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installPackages, root } from '../scripts/freshness.mjs';
import { kubernetesChecked, schemaChecked } from './clusters/kubernetes.mjs';
import { rayChecked } from './clusters/ray.mjs';
import { slurmChecked } from './clusters/slurm.mjs';
import { libraryChecked } from './library.mjs';
import { packedProgram, quick } from './packed.mjs';
import { siteChecked } from './site.mjs';
import { counted, failedIn, inOrder, ownProgram, pinned, readyLlamaCpp, readyPython, together } from './tools.mjs';

/** @typedef {import('./tools.mjs').Counts} Counts */

const node = process.execPath;
const script = (/** @type {string} */ name) => path.join(root, 'interop', name);

/** Checks the exported files in other tools, and the import of external models. @returns {Promise<Counts>} */
async function filesChecked() {
  const [python, llamaCpp] = [readyPython('requirements.txt'), readyLlamaCpp()];
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-interop-files-'));
  const taken = await inOrder([
    ['files.ts', node, ownProgram('files.ts', folder)],
    ['onnxWeb.mjs', node, [script('onnxWeb.mjs'), folder]],
    ...(llamaCpp
      ? [/** @type {[string, string, string[]]} */ (['llamaCpp.mjs', node, [script('llamaCpp.mjs'), llamaCpp, folder]])]
      : []),
    ...(python ? [/** @type {[string, string, string[]]} */ (['check.py', python, [script('check.py'), folder]])] : []),
  ]);
  const imported = python ? await importsChecked({ python, llamaCpp }, path.join(folder, 'llama')) : {};
  rmSync(folder, { recursive: true });
  return together(taken, imported);
}

/**
 * Checks the import of external models: transformers and gguf write models, Cothink reads and trains them, and then
 * transformers, PEFT, gguf and llama.cpp check what was read and exported.
 * @param {{ python: string, llamaCpp: string | null }} tools @param {string} models
 */
function importsChecked({ python, llamaCpp }, models) {
  mkdirSync(models);
  return inOrder([
    ['llama.py make', python, [script('llama.py'), 'make', models]],
    ['llama.ts', node, ownProgram('llama.ts', models)],
    ['llama.py check', python, [script('llama.py'), 'check', models]],
    ...(llamaCpp
      ? [/** @type {[string, string, string[]]} */ (['llamaCpp.mjs', node, [script('llamaCpp.mjs'), llamaCpp, models]])]
      : []),
  ]);
}

/**
 * Lets other projects' clients and the Python client query the program, and other trainers continue one of its runs.
 * @param {ReturnType<typeof packedProgram>} packed @returns {Promise<Counts>}
 */
async function programChecked({ check, program, run }) {
  const [trainers, clients, own, harness] = ['requirements.txt', 'servers.txt', 'client.txt', 'harness.txt'].map(
    readyPython,
  );
  const asked = clients ? await counted('servers.py', clients, [script('servers.py'), program, run]) : {};
  const driven = own ? await counted('client.py', own, [script('client.py'), program, run]) : {};
  const scored = harness ? await counted('harness.py', harness, [script('harness.py'), program, run]) : {};
  const served = together(together(asked, driven), scored);
  if (!trainers) return served;
  const [alone, exported] = [check.at('alone'), check.at('exported')];
  const forOne = (/** @type {string} */ name) => [
    program,
    'export',
    alone,
    '--for',
    name,
    '--out',
    path.join(exported, name),
  ];
  const continued = await inOrder([
    [
      'cothink train',
      node,
      [program, 'train', '--preset', 'alone', ...quick, '--set', 'learning.problemsPerIteration=16', '--out', alone],
    ],
    ['cothink export --for trl', node, forOne('trl')],
    ['cothink export --for verl', node, forOne('verl')],
    ['trainers.py', trainers, [script('trainers.py'), program, alone, exported]],
  ]);
  return together(served, continued);
}

/** Trains Pass it on in TRL and in Cothink, and compares the curves. @returns {Promise<Counts>} */
async function learningChecked() {
  const python = readyPython('requirements.txt');
  if (!python) return {};
  process.env.PYTHON = python;
  const train = ['run', '--silent', 'words', '--', '--rungs', 'passItOn', '--only', 'rlAlone,trl', '--threads', '1'];
  return inOrder([
    ['npm run words', process.platform === 'win32' ? 'npm.cmd' : 'npm', train],
    ['trlCurves.ts', node, ownProgram('trlCurves.ts', pinned('requirements.txt', 'trl'))],
  ]);
}

/** @type {Record<string, (program: string) => Promise<Counts>>} */
const engines = { ray: rayChecked, slurm: slurmChecked, kubernetes: kubernetesChecked };
const options = ['--store', '--long'];
const named = process.argv.slice(2).filter((name) => !options.includes(name));
const isLong = process.argv.includes('--long');
const unknown = named.filter((name) => !(name in engines));
if (unknown.length > 0) {
  console.error(`There is no engine ${unknown.join(', ')}: choose from ${Object.keys(engines).join(', ')}.`);
  process.exit(2);
}
const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
/** The checked commit, with a plus if the sources differ from it. */
const commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src', 'cli', 'interop') && '+');
installPackages();
const isUsual = named.length === 0 && !isLong;
let found = isUsual ? await filesChecked() : {};
if (isLong) found = together(found, await learningChecked());
const packed = packedProgram();
if (isUsual) {
  found = together(found, await programChecked(packed));
  found = together(found, await libraryChecked(path.resolve(packed.program, '../..'), packed.tarball));
  found = together(found, await siteChecked());
  found = together(found, await schemaChecked(packed.program));
}
for (const name of named) found = together(found, (await engines[name]?.(packed.program)) ?? {});
found = together(found, await packed.check.ends());
for (const [tool, { version, passed, failed }] of Object.entries(found))
  console.log(`${tool} ${version}: ${passed} passed, ${failed} failed`);
const unasked = Object.keys(engines).filter((name) => !named.includes(name));
if (unasked.length > 0)
  console.log(
    `Not checked: cothink launch with ${unasked.join(', ')}, which takes minutes; npm run interop -- ${unasked.join(' ')} does.`,
  );
if (process.argv.includes('--store')) store(found);
const failed = failedIn(found);
console.log(`${Object.values(found).reduce((sum, { passed }) => sum + passed, 0)} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Stores the counts; the new result of a tool replaces its old one. @param {Counts} counts */
function store(counts) {
  const file = path.join(root, 'bench', 'results', 'interop.json');
  const date = new Date().toISOString().slice(0, 10);
  /** @type {import('./table.ts').InteropResults} */
  const { rows } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { rows: [] };
  const known = new Map(rows.map((row) => [row.tool, row]));
  for (const [tool, count] of Object.entries(counts)) known.set(tool, { tool, ...count, commit, date });
  writeFileSync(file, `${JSON.stringify({ rows: [...known.values()] }, null, 2)}\n`);
}
