// Is every lesson passed, and how long does it take? `npm run bench:lessons [-- --seeds 11,12,13,14,15 --languages
// en,de]` measures all lessons or the named ones. The built page is served from this machine, opened cold in Chromium
// without WebGPU by the link of each lesson with each seed, and operated by keyboard to the end of the lesson. Finished
// walks are stored in bench/results/lessons.jsonl, and a changed lesson is walked again. A lesson that needs a language
// model is left out unless COTHINK_MODEL=FILE.gguf names its file. Writes bench/results/lessons.json and the table of
// docs/lessons.md.
import { readFileSync } from 'node:fs';
import { walkLesson } from '../../e2e/lessonWalk.ts';
import { buildPage } from '../../scripts/freshness.mjs';
import { serveFolder } from '../../scripts/serve.mjs';
import { lessonFacts, lessonNames } from '../../src/lessons/registry.ts';
import { inChromium, processorSeconds } from '../shared/chromium.ts';
import { hashOf, measureMissing, readRows, type RowJob } from '../shared/rowStore.ts';
import { hardware, readOptions, renewDocs, writeResults } from '../shared/runner.ts';
import { lessonsTable, rowOf, type LessonResults, type LessonWalk } from './lessonsTable.ts';

const file = 'bench/results/lessons.jsonl';
const limitMs = 600_000;
/** The longest allowed median of a lesson in seconds, and that of a lesson in which a language model learns. */
const longest = { usual: 180, ofModel: 900 };
const model = process.env['COTHINK_MODEL'];
const languages = ['en', 'de'];
const { values, positionals } = readOptions({ seeds: '11,12,13,14,15', languages: languages.join() });

const isOfModel = (lesson: string) => lessonFacts(lesson).needsModel === true;
const wanted = lessonNames.filter(
  (name) => (positionals.length === 0 || positionals.includes(name)) && (model !== undefined || !isOfModel(name)),
);

interface Job extends RowJob {
  language: string;
}

/** Returns the parts of a lesson that affect the walk through it: everything except its claim and its texts. */
const walkedOf = (lesson: string) =>
  readFileSync(`src/extensions/lessons/${lesson}/lesson.yaml`, 'utf8')
    .replaceAll(/^(claim|isShown): .*\n/gm, '')
    .replace(/^texts:\n[^]*/m, '');
const settingsOf = (lesson: string, language: string) => ({ language, lesson: hashOf(walkedOf(lesson)) });

function jobOf(name: string, language: string, seed: number): Job {
  const settings = settingsOf(name, language);
  return { name, language, seed, settings, key: [name, seed, hashOf(settings)].join(' '), warmStart: null };
}

function walk(origin: string, { name, language, seed }: Job): Promise<LessonWalk> {
  return inChromium(async (profile, browser) => {
    const page = await profile.newPage();
    const before = await processorSeconds(browser);
    const began = performance.now();
    await page.goto(`${origin}/?lesson=${name}&lang=${language}&backend=cpu&seed=${seed}`);
    const failedAt = await walkLesson(page, name, isOfModel(name) ? 3 * limitMs : limitMs, { model });
    const tenths = (value: number) => Number(value.toFixed(1));
    return {
      seconds: tenths((performance.now() - began) / 1000),
      processorS: tenths((await processorSeconds(browser)) - before),
      failedAt,
    };
  });
}

/** Returns the data of the table: all walks through the current versions of the lessons. */
async function results(): Promise<LessonResults> {
  const walks = [...readRows<LessonWalk>(file).values()].sort((a, b) => a.seed - b.seed);
  const browser = await inChromium((_, one) => Promise.resolve(`Chromium ${one.version()}`));
  const rows = languages.flatMap((language) =>
    lessonNames.flatMap((lesson, at) => {
      const settings = hashOf(settingsOf(lesson, language));
      const own = walks.filter((row) => row.name === lesson && hashOf(row.settings) === settings);
      return own.length === 0
        ? []
        : rowOf(
            { lesson, number: at + 1, language },
            own.map(({ result }) => result),
          );
    }),
  );
  return { machine: hardware, browser, rows };
}

buildPage();
const served = await serveFolder({ folder: 'dist', port: 4573 });
let isWhole = false;
try {
  isWhole = await measureMissing<Job, LessonWalk>({
    file,
    jobs: values.seeds
      .split(',')
      .flatMap((seed) =>
        values.languages.split(',').flatMap((language) => wanted.map((name) => jobOf(name, language, Number(seed)))),
      ),
    atOnce: 1,
    warm: () => Promise.resolve(),
    computedBy: 'those of the browser',
    measure: (job) => walk(served.url, job),
    describe: ({ seconds, processorS, failedAt }) =>
      `${seconds} s (processor ${processorS} s) ${failedAt === null ? 'passed' : `not passed: ${failedAt}`}`,
  });
} finally {
  await served.close();
}
const found = await results();
writeResults('lessons', found);
console.log(lessonsTable(found));
renewDocs();
const late = found.rows.filter(
  ({ lesson, medianS, passed, seeds }) =>
    medianS > (isOfModel(lesson) ? longest.ofModel : longest.usual) || passed < Math.ceil(0.95 * seeds),
);
if (late.length > 0)
  console.log(`NOT met: ${late.map(({ lesson, language }) => `${lesson} (${language})`).join(', ')}`);
process.exitCode = isWhole && late.length === 0 ? 0 : 1;
