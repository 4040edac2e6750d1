import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../base/errors.ts';
import { withSettings } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import { readOwnLesson, type Check, type Lesson, type LessonStep } from './lesson.ts';
import { deeds, hideable, ownMeasures, places } from './lessonForm.ts';
import { isLessonLink, readLessonLink, writeLessonLink } from './lessonLink.ts';
import { textNames } from './texts.ts';
import { writeLesson } from './writeLesson.ts';

const file = `minutes: 3
language: de
run:
  preset: micro
steps:
  - name: look
    checks:
      - choice: [left, right]
        right: right
texts:
  title: Meine Lektion
  look.title: Hinsehen
  look: Zwei Köpfe, **eine** Aufgabe.
  look.ask: Welcher?
  look.choice.left: der linke
  look.choice.right: der rechte
`;
const said = (text: string) => readOwnLesson(text).problems.map(({ message }) => message);

const bounds = fc.record({ above: fc.integer({ min: -9, max: 9 }) });
const measures = fc.constantFrom(...Object.keys(ownMeasures), 'losses/entropy');
const check: fc.Arbitrary<Check> = fc.oneof(
  fc
    .record({ kind: fc.constant('measure' as const), measure: measures })
    .chain((one) => bounds.map((two) => ({ ...one, ...two }))),
  fc.record({ kind: fc.constant('typed' as const), typed: measures, within: fc.integer({ min: 0, max: 3 }) }),
  fc.constant({ kind: 'choice' as const, choice: ['a', 'b'], right: 'b' }),
  measures.map((asks) => ({ kind: 'choice' as const, choice: ['yes', 'no'], asks, below: 1 })),
);
const steps: fc.Arbitrary<LessonStep[]> = fc
  .array(
    fc.record(
      {
        points: fc.constantFrom(...places),
        does: fc.constantFrom(...deeds),
        sets: fc.constantFrom<Settings>({}, { 'optimiser.learningRate': 0.001, 'reward.own': { hint: 0.5 } }),
        iterations: fc.integer({ min: 1, max: 50 }),
        checks: fc.array(check, { maxLength: 3 }),
      },
      { requiredKeys: ['sets', 'checks'] },
    ),
    { maxLength: 4 },
  )
  .map((all) => all.map((step, i) => ({ name: `step${i + 1}`, ...step })));
const someText = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.trim() !== '');
const lessons: fc.Arbitrary<Lesson> = fc
  .record({ steps, hides: fc.subarray([...hideable]), seed: fc.integer({ min: 0, max: 99 }), text: someText })
  .map(({ steps, hides, seed, text }) => ({
    ...{ name: 'own', minutes: 4, language: 'en', preset: 'micro', steps, hides },
    config: withSettings(presetConfig('micro'), { 'run.seed': seed }),
    texts: new Map(textNames(steps).map(({ name }) => [name, text])),
  }));

describe('a custom lesson', () => {
  it('contains its texts', () => {
    const { lesson, problems } = readOwnLesson(file);
    expect(problems).toEqual([]);
    expect(lesson?.number).toBeUndefined();
    expect([lesson?.language, lesson?.texts?.get('look.choice.right')]).toEqual(['de', 'der rechte']);
  });

  it('without a required text opens, and the error states the text and its place', () => {
    const { lesson, problems } = readOwnLesson(file.replace('  look.ask: Welcher?\n', ''));
    expect(problems.map(({ message }) => message)).toEqual([
      'line 11, column 3: texts.look.ask: this text is missing.',
    ]);
    expect(lesson?.texts?.get('look.title')).toBe('Hinsehen');
    expect(said(file.replace('look.ask', 'lock.ask'))[0]).toBe(
      'line 14, column 13: texts.lock.ask: no step or choice has this name; correct the name, or remove the text.',
    );
    expect(said(file.replace('Meine Lektion', 'x'.repeat(3001)))[0]).toMatch(
      /^line 11, column 10: texts\.title: expected at most 3000 characters/,
    );
    expect(readOwnLesson(file.slice(0, file.indexOf('texts:')))).toMatchObject({ lesson: null });
  });

  it('with repeated names of steps or choices, or too many steps, opens without them', () => {
    const twice = readOwnLesson(file.replace('texts:', '  - name: look\n  - name: title\ntexts:'));
    expect(twice.lesson?.steps).toHaveLength(1);
    expect(twice.problems.map(({ message }) => message)).toEqual([
      'line 10, column 11: steps.2.name: another step already has the name "look"; give this step another name.',
      'line 11, column 11: steps.3.name: another step already has the name "title"; give this step another name.',
    ]);
    expect(said(file.replace('[left, right]', '[right, right]'))[0]).toMatch(
      /line 8.*a list of 2 to 8 different names/,
    );
    const many = Array.from({ length: 60 }, (_, i) => `  - name: s${i}\n`).join('');
    const { lesson, problems } = readOwnLesson(file.replace('texts:', `${many}texts:`));
    expect([lesson?.steps.length, problems[0]?.message]).toEqual([
      40,
      'line 6, column 3: steps: expected at most 40, got 61; the others are left out.',
    ]);
  });

  it('is read as it was written, also through a link', async () => {
    await fc.assert(
      fc.asyncProperty(lessons, async (lesson) => {
        const text = writeLesson(lesson);
        expect(readOwnLesson(text)).toEqual({ lesson, problems: [] });
        const link = await writeLessonLink(text);
        if (link !== null) expect(await readLessonLink(link)).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the link of a lesson', () => {
  it('is null if the lesson is too large', async () => {
    const noise = Array.from({ length: 3000 }, (_, i) => ((i * 2654435761) % 65521).toString(36)).join('');
    expect(await writeLessonLink(noise)).toBeNull();
  });

  it('that is damaged, expands too much or is no link is refused with a message', async () => {
    const link = (await writeLessonLink(file)) as string;
    expect(isLessonLink(link)).toBe(true);
    await expect(readLessonLink(link.slice(0, -9))).rejects.toThrow(/damaged or was cut short/);
    const bomb = (await writeLessonLink(' '.repeat(2_000_000))) as string;
    await expect(readLessonLink(bomb)).rejects.toThrow(/at most 150000 bytes/);
    await expect(readLessonLink(`#ownLesson=${'a'.repeat(7000)}`)).rejects.toThrow(/at most 6000 characters, got 7000/);
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.nat(link.length), async (put, at) => {
        const given = link.slice(0, at) + put + link.slice(at);
        const read = await readLessonLink(given).catch((thrown: Error) => thrown.name);
        expect(read === file || read === 'FormatError').toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
