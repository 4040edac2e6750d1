import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsModel } from '../config/presets.ts';
import { readLesson } from './lesson.ts';
import { lessonFacts, lessonNames, loadLesson } from './registry.ts';

const text = `language: en
minutes: 2
run:
  preset: default
  optimiser:
    learningRate: 0.01
hides: [tokens]
steps:
  - name: first
    does: train
    checks:
      - measure: accuracy
        above: 0.8
      - measure: losses/entropy
        below: 1
  - name: second
    checks:
      - choice: [yes, no]
        asks: gain
        above: 0
`;
const read = (changed: string) => {
  const { lesson, problems } = readLesson('fast', changed);
  return { lesson, said: problems.map(({ message }) => message) };
};
const change = (from: string, to: string) => read(text.replace(from, to));

describe('a lesson', () => {
  it('is read with its settings, steps and checks', () => {
    const { lesson, said } = read(text);
    expect(said).toEqual([]);
    expect(lesson).toMatchObject({ name: 'fast', preset: 'default', hides: ['tokens'] });
    expect(lesson?.config.optimiser.learningRate).toBe(0.01);
    expect(lesson?.steps[0]?.checks).toEqual([
      { kind: 'measure', measure: 'accuracy', above: 0.8 },
      { kind: 'measure', measure: 'losses/entropy', below: 1 },
    ]);
    expect(lesson?.steps[1]?.checks[0]).toMatchObject({ kind: 'choice', asks: 'gain' });
  });

  // The second name is tested because every JavaScript object has a property called `constructor`.
  it.each(['doez', 'constructor'])('with an unknown field, %s, opens without it, and reports its place', (name) => {
    const { lesson, said } = change('does: train', `${name}: train`);
    const line = `line 10, column ${name.length + 7}: steps.1.${name}: there is no such field; expected one of name, points`;
    expect(said).toEqual([expect.stringContaining(line)]);
    expect(lesson?.steps).toHaveLength(2);
    expect(lesson?.steps[0]?.checks).toHaveLength(2);
  });

  it('with a check of an unknown measure opens without it, and the error states its place', () => {
    const { lesson, said } = change('losses/entropy', 'losses/entropi');
    expect(said).toEqual([expect.stringMatching(/^line 14, column 18: steps\.1\.checks\.2\.measure: expected one of/)]);
    expect(lesson?.steps[0]?.checks).toHaveLength(1);
    expect(change('- choice', '- chose').said).toEqual([
      expect.stringMatching(/^line 18, column 9: steps\.2\.checks\.1: expected one of measure, typed, choice/),
    ]);
    expect(change('[yes, no]', '[yas, no]').said[0]).toMatch(/steps\.2\.checks\.1\.right: expected one of yas, no/);
  });

  it('with an invalid setting opens without it, and the error states its place', () => {
    const { lesson, said } = change('0.01', 'much');
    expect(said).toEqual([expect.stringMatching(/^line 6, column 19: optimiser\.learningRate: expected/)]);
    expect(lesson?.steps).toHaveLength(2);
    const { said: ofStep } = change('does: train', 'sets: { reward.longth: 1 }');
    expect(ofStep).toEqual([expect.stringMatching(/^line 10, .*reward\.longth: there is no such setting/)]);
  });

  it('without a required field is refused, and so is a text that is not YAML', () => {
    expect(change('minutes: 2\n', '')).toEqual({
      lesson: null,
      said: [expect.stringMatching(/lesson\.minutes: expected a value/)],
    });
    expect(read('minutes: [1')).toEqual({ lesson: null, said: [expect.stringMatching(/^line 1, .*not valid YAML/)] });
  });

  it('never throws, whatever is removed or inserted', () => {
    const place = fc.nat(text.length);
    fc.assert(
      fc.property(place, place, fc.string(), (from, to, put) => {
        const { lesson, said } = read(text.slice(0, Math.min(from, to)) + put + text.slice(Math.max(from, to)));
        if (!lesson) expect(said.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the shipped lessons', () => {
  it.each(lessonNames)('include %s, which opens without errors, and each of its checks can fail', async (name) => {
    const { lesson, problems } = await loadLesson(name);
    expect(problems).toEqual([]);
    const checks = lesson?.steps.flatMap((step) => step.checks) ?? [];
    expect(checks.length).toBeGreaterThan(0);
    for (const check of checks)
      if (check.kind === 'measure') expect(check.above ?? check.below, check.measure).toBeDefined();
  });

  it.each(lessonNames)('include %s, which is listed with a model if and only if its run needs one', async (name) => {
    const { preset = '', config } = (await loadLesson(name)).lesson ?? {};
    expect(config && needsModel(preset, config)).toBe(lessonFacts(name).needsModel ?? false);
  });

  it('are numbered from 1 on, each number once', async () => {
    const numbers = await Promise.all(lessonNames.map(async (name) => (await loadLesson(name)).lesson?.number));
    expect(numbers).toEqual(lessonNames.map((_, i) => i + 1));
  });
});
