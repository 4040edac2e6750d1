// The readers of shared learning material: lessons as files and in links, worlds inside run files, and the results of a
// visitor's own world when its functions are called.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { presetConfig } from '../../src/config/presets.ts';
import { readRunWorld, writeRunFile } from '../../src/formats/runFile.ts';
import { readLesson, readOwnLesson } from '../../src/lessons/lesson.ts';
import { readLessonLink, writeLessonLink } from '../../src/lessons/lessonLink.ts';
import { writeLesson } from '../../src/lessons/writeLesson.ts';
import { historyOf } from '../../src/records/stored/checkpoint.ts';
import * as sample from '../../src/storage/testing/sampleRecords.ts';
import { Draws, streams } from '../../src/base/random.ts';
import { protocolOf } from '../../src/records/protocol.ts';
import { templates } from '../../src/tasks/custom/templates.ts';
import { checkWorld, openWorld } from '../../src/tasks/registry.ts';
import { record, text, type Reader } from './reader.ts';

const shelf = ['teach', 'ratio', 'wrongThing', 'whoEarned'].map((name) =>
  readFileSync(path.join('src/extensions/lessons', name, 'lesson.yaml'), 'utf8'),
);
/** The lessons of the shelf with texts of their own, as the editor writes them. */
const own = shelf.map((file, i) => {
  const { lesson } = readLesson(`shelf-${i}`, file);
  if (!lesson) throw new Error('a lesson of the shelf cannot be read');
  const texts = new Map([
    ['title', 'Two minds'],
    ['about', 'A lesson on messages.'],
    ...lesson.steps.map(({ name }) => [`${name}.body`, `Read on: ${name}.`] as const),
  ]);
  return writeLesson({ ...lesson, texts });
});
const links = (await Promise.all(own.map((file) => writeLessonLink(file)))).filter((link) => link !== null);

const modules = Object.values(templates).map(({ source }) => source);
const worlds = await Promise.all(modules.map((source) => checkWorld({ kind: 'module', source })));
const runFiles = worlds.map((world) => writeRunFile({ name: 'calm-otter', ...historyOf(sample.run()), world }));

const given = {
  about: {
    name: 'given',
    label: 'Given',
    levels: ['one'],
    words: ['left', 'right', 'far'],
    hidden: { way: 'the way' },
    room: { prompt: 8, turn: 4, observation: 3, rounds: 2 },
  },
  draw: { shown: 'far', hidden: { way: 'left' }, answer: 'left', slice: '', given: null },
  judge: { answer: 'left', score: 1, parts: {}, reason: '' },
  react: { state: null, observation: { source: 'road', text: 'far' }, isOver: false },
  demonstrate: [
    { agent: 0, round: 0, text: 'left', isFinish: false },
    { agent: 1, text: 'left', isFinish: true },
  ],
  ceiling: 0.5,
  view: 'far',
};

/** A module whose functions return these values for any arguments. */
function moduleOf(values: unknown): string {
  const entries = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  return entries
    .filter(([name]) => /^[a-z]\w*$/i.test(name))
    .map(
      ([name, value]) => `export const ${name} = ${name === 'about' ? literal(value) : `() => (${literal(value)})`};`,
    )
    .join('\n');
}

/** A value as a program's source text; a value that JSON cannot represent is replaced by another such value. */
function literal(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'undefined';
  } catch {
    return '10n';
  }
}

/** Opens a world and has one of its problems drawn, shown, answered and judged. */
async function lived(values: unknown): Promise<void> {
  const world = await openWorld(await checkWorld({ kind: 'module', source: moduleOf(values) }));
  const draws = new Draws(3, streams.problems, 1);
  const problem = world.draw(1, draws, 'training');
  const protocol = protocolOf(presetConfig('micro').agents, world);
  for (const sees of protocol.sees) world.view(problem, sees);
  const turn = { role: protocol.roles[0] ?? 'reasoning', agent: 0, text: 'left', isFinish: true, isTruncated: false };
  await world.react?.(problem, null, turn);
  await world.judge(problem, turn);
  await world.assess(problem, [turn], protocol);
  world.ceiling(1, []);
}

/** Throws the first error of a lesson that was read. */
function told({ problems: [problem] }: ReturnType<typeof readOwnLesson>): void {
  if (problem) throw problem;
}

export const lessons: readonly Reader<unknown>[] = [
  text('lessons (YAML)', [...shelf, ...own], (file) => told(readOwnLesson(file))),
  text('lessons in links', links, async (link) => told(readOwnLesson(await readLessonLink(link)))),
  text('worlds in run files', runFiles, (file) => readRunWorld(file)),
  record('answers of one’s own worlds', [given], lived),
];
