// The performance of the page: `npm run bench:page [-- --seeds 3 --limit 300 --folder dist --beside COMMIT]`. The built
// page, served from this machine, opened cold in Chromium without WebGPU: seconds from navigation to training, to the
// first iteration, to +0.10 and to 0.88 held-out accuracy; main-thread tasks over 50 ms; pauses. Writes
// bench/results/page.json and the pictures of the README. With `--beside` the page of another commit is built and
// visited alternately with this one: machines differ, but the ratio of the two is comparable. With one of these options
// a single measurement is taken and added to the others in that file: `--long [--minutes 60]` (the first preset, for
// that long), `--busy` (the longest main-thread tasks of a page at its busiest), `--aged` (whether a run of an hour is
// slower), `--intervened` (how fast it trains while the team is asked problems) or `--program` (the command line
// compared with it). Two options measure nothing: `--pictures` takes the pictures for the worlds' pages, or those of the
// named worlds, and `--screens FOLDER` the pictures of all states of the page, or those of the named states.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { firstPreset } from '../src/config/presets.ts';
import { buildPage, runOrThrow } from '../scripts/freshness.mjs';
import { serveFolder } from '../scripts/serve.mjs';
import { measureAged } from './page/aged.ts';
import { measureBusyPage } from './page/busy.ts';
import { measureIntervened } from './page/intervene.ts';
import { measureLongRun } from './page/longRun.ts';
import { measureProgram } from './page/program.ts';
import { takeScreens } from './page/screens.ts';
import { aloneLines, medians, pageTable, type PageResults } from './page/table.ts';
import { visitPage, type PageSeed } from './page/visit.ts';
import { inChromium, untilRun } from './shared/chromium.ts';
import { hardware, readOptions, readResults, writeResults } from './shared/runner.ts';
import { plannedWorlds } from './worlds/plan.ts';

const firstSeed = 11;
const { values, positionals, wholeNumber } = readOptions({
  ...{ seeds: '3', limit: '300', folder: 'dist', beside: '', pictures: false, screens: '' },
  ...{ long: false, minutes: '60', busy: false, aged: false, intervened: false, program: false },
});
const limitS = wholeNumber('limit');
const count = wholeNumber('seeds');
/** Separate measurements, by the option that requests each. */
const alone = {
  long: (origin: string) => measureLongRun(origin, firstSeed, wholeNumber('minutes')),
  busy: (origin: string) => measureBusyPage(origin, firstSeed),
  aged: (origin: string) => measureAged(origin, firstSeed),
  intervened: (origin: string) => measureIntervened(origin, firstSeed),
  program: (origin: string) => {
    runOrThrow(process.execPath, ['cli/build.mjs']);
    return measureProgram(origin, firstSeed, count);
  },
};

if (values.folder === 'dist') buildPage();
const served = await serveFolder({ folder: values.folder, port: 4373 });
try {
  if (values.pictures) await takeWorldPictures(served.url, positionals);
  else if (values.screens) await takeScreens(served.url, values.screens, positionals);
  else {
    // A measurement does not change the figures of the others.
    const one = (Object.keys(alone) as (keyof typeof alone)[]).find((name) => values[name]);
    const figures: Partial<PageResults> = one
      ? { [one]: await alone[one](served.url) }
      : await measureSeeds(served.url);
    for (const line of one ? aloneLines(figures) : []) console.log(line);
    writeResults('page', { ...readResults<PageResults>('page'), ...figures });
  }
} finally {
  await served.close();
}

async function measureSeeds(origin: string): Promise<Partial<PageResults>> {
  const [seeds, others]: [PageSeed[], PageSeed[]] = [[], []];
  let browser = '';
  const { beside: commit } = values;
  const former = commit ? await serveFormer(formerBuild(commit)) : null;
  try {
    for (let seed = firstSeed; seed < firstSeed + count; seed++) {
      const pictures = seed === firstSeed ? 'bench/results' : undefined;
      const { browser: used, ...measured } = await visitPage(origin, { seed, limitS, pictures });
      browser = used;
      seeds.push(measured);
      console.log(`seed ${seed}: ${measured.state} at iteration ${measured.iterations}`);
      if (!former) continue;
      const { browser: _, ...other } = await visitPage(former.url, { seed, limitS });
      others.push(other);
      console.log(`0.88 after ${measured.secondsTo088} s, at ${commit} after ${other.secondsTo088} s`);
    }
  } finally {
    await former?.close();
  }
  const beside = commit ? { commit, median: medians(others) } : undefined;
  const figures = {
    preset: firstPreset,
    backend: 'CPU path',
    machine: hardware,
    browser,
    median: medians(seeds),
    seeds,
  };
  const results = { ...figures, beside };
  console.log(pageTable(results));
  return results;
}

/**
 * Opens each world that has a preset, with its first preset, lets it learn a little, and saves a picture of its
 * dialogue as `docs/pictures/WORLD.png`.
 */
async function takeWorldPictures(origin: string, names: readonly string[]): Promise<void> {
  await inChromium(async (profile) => {
    for (const [at, { name, world }] of plannedWorlds.entries()) {
      const isFirst = plannedWorlds.findIndex((planned) => planned.world === world) === at;
      if (!isFirst || (names.length > 0 && !names.includes(world))) continue;
      const page = await profile.newPage();
      await page.setViewportSize({ width: 1200, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${origin}/?preset=${name}&backend=cpu&seed=11&iterations=3&autostart=1`);
      await untilRun(page, ['done'], 300_000);
      const dialogue = page.getByRole('region', { name: 'Dialogue', exact: true });
      const box = await dialogue.boundingBox();
      if (!box) throw new Error(`${name}: the page shows no dialogue`);
      const clip = { ...box, height: Math.min(box.height, 420) };
      await page.screenshot({ path: `docs/pictures/${world}.png`, clip });
      console.log(`docs/pictures/${world}.png`);
      await page.close();
    }
  });
}

/** Serves the page of an earlier commit with its own headers, because a later policy may forbid its actions. */
function serveFormer(folder: string) {
  const lines = readFileSync(`${folder}/_headers`, 'utf8').matchAll(/^ +([\w-]+): (.+)$/gm);
  const headers = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
  return serveFolder({ folder, port: 4473, headersOf: () => headers });
}

/**
 * Returns the folder with the page of a commit. It is built with the packages installed here, unless it was built
 * before. A commit that needs other packages cannot be built. Throws if git does not know the commit.
 */
function formerBuild(commit: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 2 ** 30 });
  const folder = path.resolve('.cache', 'beside', git('rev-parse', '--verify', `${commit}^{commit}`).toString().trim());
  if (!existsSync(`${folder}/dist/index.html`)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
    if (!existsSync(`${folder}/node_modules`)) symlinkSync(path.resolve('node_modules'), `${folder}/node_modules`);
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'inherit' });
  }
  return `${folder}/dist`;
}
