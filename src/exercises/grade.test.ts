// Tests the six exercises and the grading of solutions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import english from '../../messages/en.json';
import { formulaNameIn } from '../config/sections/ownFormula.ts';
import { programOf, starterOf } from './exercise.ts';
import { exerciseOf, exercises } from './exercises.ts';
import { grade } from './grade.ts';

const named = exercises.map((exercise) => [exercise.name, exercise] as const);
const byName = (name: string) => exerciseOf(name) ?? expect.fail(`no exercise ${name}`);

describe.each(named)('%s', (name, exercise) => {
  it('takes its solution as right', async () => {
    expect(await grade(exercise, programOf(exercise, exercise.solution))).toEqual({ isRight: true });
  });

  it('tells five mistakes apart, each with its hint', async () => {
    expect(Object.keys(exercise.mistakes)).toHaveLength(5);
    for (const [mistake, body] of Object.entries(exercise.mistakes)) {
      expect(await grade(exercise, programOf(exercise, body))).toMatchObject({ isRight: false, mistake });
      expect(english).toHaveProperty([`exercise.${name}.hint.${mistake}`]);
    }
  });

  it('begins with a file that names it and returns nothing yet', async () => {
    expect(formulaNameIn(starterOf(exercise))).toBe(name);
    expect(await grade(exercise, starterOf(exercise))).toMatchObject({ miss: { call: 1, at: null }, mistake: null });
  });
});

describe('what is wrong', () => {
  const clip = byName('clip');

  it('is reported with the call and the size of the error', async () => {
    const graded = await grade(clip, 'function loss(ratio, advantage) { return -ratio * advantage; }');
    expect(graded).toMatchObject({ mistake: null, miss: { call: 2, expected: -1.28, got: -1.5, at: 1 } });
    expect('miss' in graded && graded.miss.off).toBeCloseTo(-0.22, 9);
  });

  it('may be a program that loops, throws, cannot be read or is missing', async () => {
    expect(await grade(clip, 'function loss() { for (;;); }')).toMatchObject({ fault: { cause: 'time' } });
    expect(await grade(clip, 'function loss() {\n  return nobody;\n}')).toMatchObject({ fault: { line: 2 } });
    expect(await grade(clip, 'function loss( {')).toMatchObject({ fault: { name: 'SyntaxError' } });
    expect(await grade(clip, '')).toMatchObject({ fault: { name: 'ReferenceError' } });
  });

  it('may be a list too short, no list, or no numbers', async () => {
    const loo = byName('leaveOneOut');
    for (const body of ['[1]', '3', '"a"', 'null', 'rewards.map(() => NaN)', 'rewards.map(String)', '{}'])
      expect(await grade(loo, `const advantages = (rewards) => (${body});`)).toMatchObject({ miss: { call: 1 } });
  });

  it('is graded with a message for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await grade(clip, text)).toMatchObject({ isRight: false });
      }),
      { numRuns: 40 },
    );
  });
});
