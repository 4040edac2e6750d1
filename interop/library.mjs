// Checks the library as users get it, in a folder with nothing but the packed program: publint and "are the types wrong?"
// examine the package, TypeScript compiles a program that uses it, the examples run, bundlers drop what is not used, and
// a page that another project builds trains the same numbers as the command line.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build } from 'vite';
import { quietFlags } from '../scripts/chromium.mjs';
import { root } from '../scripts/freshness.mjs';
import { serveFolder } from '../scripts/serve.mjs';
import { findChromium } from '../scripts/vulkan.mjs';
import { Check } from './clusters/launched.mjs';

/** The largest size of a program that only opens a world, without the code of the world, in bytes after gzip. */
const worldsBudget = 60_000;

/** The last line that each example must print. @type {Record<string, RegExp>} */
const lastLines = {
  'dialogue.mjs': /^answer 9, right$/,
  'losses.mjs': /^published form of PPO: \{"learning/,
  'ownLearner.mjs': /^difference -?0\.\d+, 95 % interval over seeds -?0\.\d+ to 0\.\d+$/,
  'ownWorld.mjs': /^iteration 30: right (1|0\.8)$/,
  'sweep.mjs': /^learning rate 0\.003: /,
  'train.mjs': /^saved planner\.zip and run\.checkpoint$/,
};

/** The run with which numbers are compared. */
const compared = { preset: 'quick', settings: { run: { iterations: 2, seed: 5, backend: 'cpu' } } };

const using = `
import { drawProblem, openWorld, play, type World } from 'cothink/worlds';
import { groupAdvantage, type LearnerName } from 'cothink/learners';
import { train, type News } from 'cothink/train';
import { readRun } from 'cothink/formats';
import { wilson } from 'cothink/inspect';
import * as all from 'cothink';

const world: World = await openWorld('houseRule');
const { answer } = await play(world, drawProblem(world, { seed: 3 }), [[], []], { agents: { roundLimit: 3 } });
const told: string | null = answer;
const learner: LearnerName = 'grpo';
const advantages: Float64Array = groupAdvantage([1, 0], ['a', 'a'], { std: true });
for await (const news of train({ preset: 'quick', settings: { learning: { learner }, world: { level: 2 } } })) {
  const one: News = news;
  if (one.kind === 'evaluation') { const { accuracy }: { accuracy: number } = one.evaluation; void accuracy; }
  if (one.kind === 'iteration') one.dialogues[0]?.turns[0]?.text.toUpperCase();
}
// @ts-expect-error there is no such world
await openWorld('nowhere');
// @ts-expect-error there is no such learner
train({ settings: { learning: { learner: 'nobody' } } });
// @ts-expect-error a number is needed
train({ settings: { agents: { roundLimit: 'three' } } });
export { advantages, told, readRun, wilson, all };
`;

/** @param {string} installed the folder of the installed package @param {string} tarball */
export async function libraryChecked(installed, tarball) {
  const check = new Check('library', JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')).version);
  const here = check.at('project');
  mkdirSync(path.join(here, 'node_modules'), { recursive: true });
  symlinkSync(installed, path.join(here, 'node_modules', 'cothink'));
  writeFileSync(path.join(here, 'package.json'), '{ "type": "module", "private": true }\n');
  const node = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, args, { cwd: here, encoding: 'utf8', maxBuffer: 1e8 });
  const tool = (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
    node(path.join(root, 'node_modules', ...name.split('/')), ...args);

  const { messages, pkg } = await publint({ pkgDir: installed, level: 'suggestion' });
  check.says(
    'publint finds nothing',
    messages.length === 0,
    messages.map((one) => formatMessage(one, pkg)),
  );
  const types = tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only');
  check.says('“are the types wrong?” finds nothing', types.status === 0, types.stdout.slice(-1_500));

  writeFileSync(path.join(here, 'use.ts'), using);
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2023,dom'];
  const compiled = tool('typescript/bin/tsc', ...options, '--module', 'nodenext', 'use.ts');
  check.says(
    'TypeScript compiles a program with its types, and refuses mistakes',
    compiled.status === 0,
    compiled.stdout,
  );

  if (!process.env.FAST)
    for (const name of readdirSync(path.join(root, 'examples')).filter((file) => file.endsWith('.mjs'))) {
      copyFileSync(path.join(root, 'examples', name), path.join(here, name));
      const { stdout, stderr } = node(name);
      const last = stdout.trim().split('\n').at(-1) ?? '';
      check.says(`the example ${name} runs`, lastLines[name]?.test(last) ?? false, `${last} ${stderr.slice(-500)}`);
    }

  const alone = await bundled(
    here,
    "import { openWorld } from 'cothink/worlds';\nglobalThis.opened = openWorld('houseRule');",
  );
  check.says(
    `a program that opens a world is at most ${worldsBudget} bytes`,
    alone.gzipped <= worldsBudget,
    alone.gzipped,
  );
  const nothing = await bundled(here, "import 'cothink';\nglobalThis.nothing = 1;");
  check.says('importing the library has no effect, so a bundler drops it', nothing.bytes < 200, nothing.bytes);

  const own = (/** @type {string} */ more, /** @type {string} */ tell) => `import { train } from 'cothink/train';
const told = [];
for await (const news of train({ ${more}...${JSON.stringify(compared)} }))
  if (news.kind === 'evaluation') told.push(news.evaluation.accuracy);
${tell}(JSON.stringify(told));`;
  writeFileSync(path.join(here, 'own.mjs'), own('', 'console.log'));
  const inNode = node('own.mjs').stdout.trim();
  const { iterations, seed, backend } = compared.settings.run;
  const set = [`run.iterations=${iterations}`, `run.seed=${seed}`, `run.backend=${backend}`].flatMap((one) => [
    '--set',
    one,
  ]);
  const program = path.join(installed, 'dist-cli', 'main.mjs');
  const trained = node(program, 'train', '--preset', compared.preset, ...set, '--out', 'run', '--json').stdout;
  const accuracies = trained
    .split('\n')
    .flatMap((line) => (line.startsWith('{"event":"evaluation"') ? [JSON.parse(line).accuracy] : []));
  const equal = accuracies.length > 1 && JSON.stringify(accuracies) === inNode;
  check.says('it trains the same numbers as cothink train', equal, `${inNode} ${JSON.stringify(accuracies)}`);

  const chrome = findChromium();
  if (!chrome) console.log('Not checked in a page: there is no Chrome or Chromium.');
  else {
    // A bundler cannot know which warm start a program needs, so the page serves the file itself.
    const load = "loadWarmStart: async (name) => new Uint8Array(await (await fetch('./' + name)).arrayBuffer()), ";
    const inPage = await trainedInPage(here, chrome, own(load, 'globalThis.told = '));
    check.says('a page of another project trains the same numbers', inPage === inNode, `${inPage} ${inNode}`);
  }
  return check.ends();
}

/**
 * Bundles a program as a page would, and returns the size of what is loaded at once.
 * @param {string} folder @param {string} code
 */
async function bundled(folder, code) {
  writeFileSync(path.join(folder, 'entry.js'), code);
  const found = await build({
    ...{ root: folder, configFile: false, logLevel: 'silent' },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: path.join(folder, 'entry.js') },
    },
  });
  const output = 'output' in found ? found.output : [];
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
  const first = chunks.filter(({ isEntry }) => isEntry);
  const needed = new Set(first.flatMap(({ fileName, imports }) => [fileName, ...imports]));
  const texts = chunks.filter(({ fileName }) => needed.has(fileName)).map((file) => file.code);
  const sum = (/** @type {number[]} */ sizes) => sizes.reduce((a, b) => a + b, 0);
  return { bytes: sum(texts.map((text) => text.length)), gzipped: sum(texts.map((text) => gzipSync(text).length)) };
}

/** @param {string} folder @param {string} chrome @param {string} code sets `told` */
async function trainedInPage(folder, chrome, code) {
  const page = path.join(folder, 'page');
  mkdirSync(page);
  writeFileSync(path.join(page, 'main.js'), code);
  writeFileSync(
    path.join(page, 'index.html'),
    '<!doctype html><title>t</title><script type="module" src="./main.js"></script>',
  );
  const outDir = path.join(folder, 'built');
  await build({
    ...{ root: page, base: './', configFile: false, logLevel: 'silent' },
    build: { outDir, target: 'es2022', modulePreload: false },
  });
  const warmStarts = path.join(folder, 'node_modules', 'cothink', 'dist', 'warmstart');
  for (const name of readdirSync(warmStarts)) copyFileSync(path.join(warmStarts, name), path.join(outDir, name));
  const served = await serveFolder({ folder: outDir, port: 4190, headersOf: () => ({}) });
  const browser = await chromium.launch({ executablePath: chrome, args: ['--no-sandbox', ...quietFlags] });
  try {
    const tab = await browser.newPage();
    const faults = /** @type {string[]} */ ([]);
    tab.on('pageerror', ({ message }) => faults.push(message));
    await tab.goto(served.url);
    const told = tab.waitForFunction('globalThis.told', null, { timeout: 120_000 });
    return await told.then((found) => found.jsonValue()).catch(() => faults.join(' ') || 'no answer');
  } finally {
    await browser.close();
    await served.close();
  }
}
