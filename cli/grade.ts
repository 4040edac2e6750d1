// `cothink grade`: grades solutions of the page's exercises by the same tests as the page. Each file contains one
// solution.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import english from '../messages/en.json';
import { ConfigError, FormatError } from '../src/base/errors.ts';
import { formulaLine, formulaNameIn } from '../src/config/sections/ownFormula.ts';
import { starterOf, type Exercise, type Grade } from '../src/exercises/exercise.ts';
import { exerciseOf, exercises } from '../src/exercises/exercises.ts';
import { grade as gradeOf } from '../src/exercises/grade.ts';
import type { CommandArguments } from './command.ts';
import { readText, writeWhole } from './files.ts';
import { print } from './print.ts';

/** Maximum number of characters of a solution. */
const longest = 100_000;
const names = exercises.map(({ name }) => name).join(', ');

function textOf(key: string): string {
  return (english as Record<string, string>)[key] ?? '';
}

/** Lists the exercises, creates a starting file for one, or grades files. Returns 2 if a solution is wrong. */
export async function grade(given: CommandArguments): Promise<number> {
  const begun = given.text('begin');
  if (begun !== undefined) return begin(given, begun);
  if (given.rest.length === 0) {
    const listed = exercises.map(({ name, source }) => ({ name, title: textOf(`exercise.${name}.title`), source }));
    print(
      given,
      { exercises: listed },
      listed.map(({ name, title, source }) => `${name.padEnd(12)} ${title} (${source})`),
    );
    return 0;
  }
  const graded = [];
  for (const file of given.rest) graded.push(await gradeFile(file));
  const lines = graded.map(({ file, exercise, words }) => `${path.basename(file)} · ${exercise}: ${words}`);
  const right = graded.filter(({ isRight }) => isRight).length;
  print(given, { graded, right, of: graded.length }, [...lines, `${right} of ${graded.length} right`]);
  return right === graded.length ? 0 : 2;
}

async function begin(given: CommandArguments, name: string): Promise<number> {
  const exercise = exerciseOf(name);
  if (!exercise)
    throw new ConfigError(`--begin: expected the name of an exercise (${names}), got ${JSON.stringify(name)}.`);
  const file = given.text('out') ?? `${name}.js`;
  // An existing file may be somebody's solution, so it is not overwritten.
  if (await stat(file).catch(() => null)) throw new ConfigError(`--out: ${file} already exists; choose another file.`);
  await writeWhole(file, `// ${textOf(`exercise.${name}.task`)}\n${starterOf(exercise)}`);
  print(given, { file }, [`${file}: write the function, then grade it.`]);
  return 0;
}

async function gradeFile(file: string) {
  const text = await readText(file);
  const name = formulaNameIn(text) ?? '';
  const exercise = exerciseOf(name);
  if (!exercise)
    throw new FormatError(
      `${file}: the line “${formulaLine('NAME')}” is missing near the start of the file; write one of ${names} for NAME.`,
    );
  if (text.length > longest)
    throw new FormatError(`${file}: expected at most ${longest} characters, got ${text.length}.`);
  const result = await gradeOf(exercise, text);
  return { file, exercise: name, ...result, words: wordsOf(exercise, result) };
}

const shown = (value: unknown) => JSON.stringify(value);

/** The verdict on a solution, in words. */
function wordsOf({ name, calls }: Exercise, result: Grade): string {
  if (result.isRight) return 'right';
  if ('fault' in result) {
    const { cause, message, line } = result.fault;
    return cause === 'time'
      ? 'it did not finish in time; check it for an endless loop'
      : `${message}${line ? ` (line ${line})` : ''}`;
  }
  const { given, expected, got, at, off } = result.miss;
  const hint = result.mistake === null ? '' : ` ${textOf(`exercise.${name}.hint.${result.mistake}`)}`;
  const call = `${calls}(${given.map(shown).join(', ')})`;
  if (at === null) return `${call} should return ${shown(expected)}, but returned ${shown(got)}.${hint}`;
  const which = Array.isArray(expected) ? `number ${at}` : 'the result';
  const by = off === null ? 'is not a number' : `is off by ${Number(off.toPrecision(4))}`;
  return `${call} should return ${shown(expected)}, but ${which} ${by}.${hint}`;
}
