// Passes every lesson by keyboard alone, from its link to its last check, and tests each check on a run that fails it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Settings } from '../src/base/errors.ts';
import { withSettings } from '../src/config/parse.ts';
import { readOwnLesson, type Check, type Lesson } from '../src/lessons/lesson.ts';
import { writeLessonLink } from '../src/lessons/lessonLink.ts';
import { lessonFacts, lessonNames, loadLesson } from '../src/lessons/registry.ts';
import { textNames } from '../src/lessons/texts.ts';
import { writeLesson } from '../src/lessons/writeLesson.ts';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { walkLesson } from './lessonWalk.ts';
import { modelFile } from './sampleModel.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const limitMs = 200_000;
/** Lessons in which the networks of Cothink learn, and lessons in which a language model learns. */
const usual = lessonNames.filter((name) => !lessonFacts(name).needsModel);
const ofModels = lessonNames.filter((name) => lessonFacts(name).needsModel);
/** The number of iterations in which nothing is learned, because the learning rate is the smallest possible one. */
const idle = 2;
const asleep = {
  'optimiser.learningRate': 1e-6,
  'run.iterations': idle,
  'run.guard': false,
  'evaluation.every': 1,
  'evaluation.problems': 64,
};
const blank: Settings = { ...asleep, 'warmStart.source': 'none' };
const skilled: Settings = { ...asleep, 'warmStart.source': 'shipped' };

test.for(usual)('%s is passed by keyboard alone', async (name, { visit }) => {
  const language = lessonNames.indexOf(name) % 2 === 0 ? 'en' : 'de';
  const { page } = await visit(`/?lesson=${name}&lang=${language}&backend=cpu`);
  expect(await walkLesson(page, name, limitMs)).toBeNull();
  expect(await faultsInBothThemes(page, '.left')).toEqual([]);
  // A laptop at 200 %, and a telephone.
  for (const width of [720, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await isWide(page), `${width} pixels`).toBe(false);
  }
});

const shipped = async (name: string): Promise<Lesson> => {
  const { lesson } = await loadLesson(name);
  if (!lesson) throw new Error(`${name} cannot be read`);
  return lesson;
};

/** Whether a check is passed however little is trained. */
const isOfIdleness = (check: Check) =>
  check.kind === 'measure' && check.measure === 'iteration' && Number(check.above) < idle;
const asksForLess = (check: Check) => check.kind === 'measure' && check.below !== undefined;

/** Returns a link to the same lesson as a single step with these checks and with changed settings. */
async function linkOf(lesson: Lesson, settings: Settings, checks: readonly Check[]): Promise<string> {
  const steps = [{ name: 'all', does: 'train' as const, sets: {}, checks }];
  const texts = new Map(textNames(steps).map(({ name }) => [name, name]));
  const { number: _, claim: __, isShown: ___, ...own } = lesson;
  const config = withSettings(lesson.config, settings);
  const text = writeLesson({ ...own, config, steps, texts });
  expect(readOwnLesson(text).problems).toEqual([]);
  return String(await writeLessonLink(text));
}

/** An answer to a choice question that is wrong if nothing is learned. */
const wrongOf = ({ choice, right }: Check & { kind: 'choice' }) =>
  right === undefined ? 'yes' : String(choice.find((option) => option !== right));

/** Returns the wrong answer to the question whether the rule of the shown sum begins at its right end. */
async function wrongOfSum(page: Page): Promise<string> {
  const [rule, sum] = await Promise.all([
    page
      .getByText(/^Only the planner knows:/)
      .first()
      .innerText(),
    page.locator('.sum').first().innerText(),
  ]);
  const [first, last] = sum.match(/[−+×]/g) ?? [];
  const begins = rule.includes('right to left') || (!rule.includes('left to right') && first !== '×' && last === '×');
  return begins ? 'no' : 'yes';
}

async function answerWrongly(page: Page, checks: readonly Check[]): Promise<void> {
  for (const [i, check] of checks.entries()) {
    const place = page.locator('.checks > li').nth(i);
    if (check.kind === 'choice') {
      const wrong = check.asks === 'beginsAtEnd' ? await wrongOfSum(page) : wrongOf(check);
      await place.locator(`input[value="${wrong}"]`).check();
    }
    if (check.kind !== 'typed') continue;
    await place.getByRole('textbox').fill('1000');
    await place.getByRole('textbox').press('Enter');
  }
}

const checkStates = (page: Page) =>
  page.locator('.checks > li').evaluateAll((all) => all.map((one) => one.className.replace(/ ?svelte-\w+/, '')));

test.for(usual)('%s is not passed if nothing is learned or the answers are wrong', async (name, { open }) => {
  const lesson = await shipped(name);
  const checks = lesson.steps.flatMap((step) => step.checks).filter((check) => !isOfIdleness(check));
  const runs = [
    { settings: blank, asked: checks.filter((check) => !asksForLess(check)) },
    { settings: skilled, asked: checks.filter(asksForLess) },
  ].filter(({ asked }) => asked.length > 0);
  for (const { settings, asked } of runs) {
    const page = await open(`/?lang=en&backend=cpu${await linkOf(lesson, settings, asked)}`);
    await page.locator('.left .panel section button.primary').press('Enter');
    await untilState(page, ['done']);
    await answerWrongly(page, asked);
    const states = await checkStates(page);
    expect(states).toHaveLength(asked.length);
    expect(states.filter((state) => state.includes('passed'))).toEqual([]);
    await page.close();
  }
});

/** Settings for a short run, for a model that is far too small for the lesson. */
const few =
  'learning.problemsPerIteration=1&learning.groupSize=2&evaluation.problems=12&run.iterations=2&agents.loraRank=4';

test.for(ofModels)('%s can be read without a model, but is not passed then', async (name, { open }) => {
  const { steps, texts } = await shipped(name);
  const page = await open(`/?lesson=${name}&lang=en&backend=cpu&${few}`);
  const panel = page.getByRole('region', { name: 'Lesson', exact: true });
  const answer = (option: string) => panel.locator(`input[value="${option}"]`).check();
  for (const [at, { name: step, checks }] of steps.entries()) {
    await panel.getByRole('heading', { name: texts?.get(`${step}.title`) ?? '' }).waitFor();
    expect(await faultsInBothThemes(page, '.left')).toEqual([]);
    for (const [i, check] of checks.entries())
      if (check.kind === 'choice') {
        await answer(wrongOf(check));
        await expect.poll(async () => (await checkStates(page))[i]).toContain('failed');
        await answer(String(check.right));
      }
    const isOpen = checks.some(({ kind }) => kind === 'measure');
    expect((await checkStates(page)).every((state) => state.includes('passed'))).toBe(!isOpen);
    if (at < steps.length - 1)
      await panel.getByRole('button', { name: isOpen ? 'Read on without the model' : 'Next' }).click();
  }
  await panel.getByText('Some steps are not passed yet.').waitFor();
  await expect.poll(() => panel.getByText('Lesson passed').count()).toBe(0);
});

test.for(ofModels)('%s is passed with a model up to the step in which the model must learn', async (name, { open }) => {
  const { steps, texts } = await shipped(name);
  const page = await open(`/?lesson=${name}&lang=en&backend=cpu&${few}`);
  const failedAt = await walkLesson(page, name, limitMs, { model: modelFile('theirs.gguf') });
  const training = steps.findIndex(({ does }) => does === 'train');
  expect([training > 0, failedAt]).toEqual([true, texts?.get(`${steps[training]?.name}.title`)]);
  const panel = page.getByRole('region', { name: 'Lesson', exact: true });
  await expect.poll(() => panel.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  // The next try is made with the same model, which need not be opened again.
  await panel.getByRole('button', { name: 'Begin again' }).click();
  await expect.poll(() => checkStates(page)).toEqual(['passed']);
  await panel.getByRole('heading', { name: texts?.get(`${steps[0]?.name}.title`) ?? '' }).waitFor();
});
