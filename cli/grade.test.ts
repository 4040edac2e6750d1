// Tests `cothink grade` on files, and compares the expected results of the exercises with the numbers that training
// computes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exerciseOf, exercises } from '../src/exercises/exercises.ts';
import { programOf, starterOf } from '../src/exercises/exercise.ts';
import { gae, groupAdvantage, looAdvantage } from '../src/training/maths/advantage.ts';
import { klOf } from '../src/training/maths/kl.ts';
import { buildProgram, cothink, removeProgram } from './testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-grade-'));
const at = (name: string) => path.join(folder, name);
const exercise = (name: string) => exerciseOf(name) ?? expect.fail(`no exercise ${name}`);

beforeAll(buildProgram, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

describe('cothink grade', () => {
  it('lists the exercises', async () => {
    const { code, out } = await cothink(['grade']);
    expect(code).toBe(0);
    const names = (JSON.parse(out) as { exercises: { name: string }[] }).exercises.map(({ name }) => name);
    expect(names).toEqual(exercises.map(({ name }) => name));
  });

  it('checks a class: right answers, known mistakes, and endless loops', async () => {
    const clip = exercise('clip');
    const begun = await cothink(['grade', '--begin', 'clip', '--out', at('empty.js')]);
    expect(begun.code).toBe(0);
    expect(readFileSync(at('empty.js'), 'utf8')).toContain(starterOf(clip));
    const heading = '// cothink exercise: clip\n';
    writeFileSync(at('right.js'), heading + programOf(clip, clip.solution));
    writeFileSync(at('wrong.js'), heading + programOf(clip, clip.mistakes['wrongSide'] ?? ''));
    writeFileSync(at('loops.js'), `${heading}function loss() { for (;;); }`);
    const files = ['right', 'wrong', 'loops', 'empty'].map((name) => at(`${name}.js`));
    const { code, out } = await cothink(['grade', ...files]);
    expect(code).toBe(2);
    const { graded, right } = JSON.parse(out) as { graded: { words: string }[]; right: number };
    expect(right).toBe(1);
    expect(graded.map(({ words }) => words)).toEqual([
      'right',
      expect.stringMatching(/^loss\(.*is off by .*wrong side/),
      'it did not finish in time; check it for an endless loop',
      expect.stringMatching(/should return -2\.2, but returned null\.$/),
    ]);
    expect((await cothink(['grade', at('right.js')])).code).toBe(0);
  });

  it('does not overwrite an existing file', async () => {
    const args = ['grade', '--begin', 'clip', '--out', at('begun.js')];
    expect((await cothink(args)).code).toBe(0);
    writeFileSync(at('begun.js'), 'mine');
    const { code, err } = await cothink(args);
    expect([code, err]).toEqual([2, expect.stringContaining('begun.js already exists; choose another file')]);
    expect(readFileSync(at('begun.js'), 'utf8')).toBe('mine');
  });

  it('refuses a file that names no exercise', async () => {
    writeFileSync(at('other.js'), 'function loss() {}');
    const { code, err } = await cothink(['grade', at('other.js')]);
    expect(code).toBe(2);
    expect(err).toContain('other.js: the line “// cothink exercise: NAME” is missing near the start of the file');
  });
});

describe('the worked numbers', () => {
  const worked = <G>(name: string) =>
    exercise(name).worked.map(({ given, expected }) => ({ given: given as G, expected: [expected].flat() }));
  const close = (found: ArrayLike<number>, expected: readonly number[]) => {
    expect(found).toHaveLength(expected.length);
    expected.forEach((number, i) => expect(found[i]).toBeCloseTo(number, 5));
  };

  it('are those that training computes', () => {
    for (const { given, expected } of worked<[number[]]>('groupMean'))
      close(groupAdvantage(given[0], Array<string>(given[0].length).fill('group'), { std: true }), expected);
    for (const { given, expected } of worked<[number[]]>('leaveOneOut'))
      close(looAdvantage(given[0], Array<string>(given[0].length).fill('group')), expected);
    for (const { given, expected } of worked<[number[], number[], number, number]>('gae')) {
      const [rewards, values, gamma, lambda] = given;
      close(gae(rewards, values, { gamma, lambda }), expected);
    }
    for (const { given, expected } of worked<[number, number]>('kl'))
      close([klOf(given[1] - given[0], 'k3')], expected);
  });
});
