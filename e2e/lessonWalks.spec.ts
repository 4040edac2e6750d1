// Passes lessons by keyboard alone, from their link to their last check. The lessons walked here have every kind of
// question and most kinds of step between them, and need little training. `npm run bench:lessons` walks all lessons, and
// scripts/lessons.test.ts tests that each check fails for a run that learned nothing.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Check, Lesson } from '../src/lessons/lesson.ts';
import { lessonFacts, lessonNames, loadLesson } from '../src/lessons/registry.ts';
import { test } from './browser.ts';
import { walkLesson } from './lessonWalk.ts';
import { modelFile } from './sampleModel.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const limitMs = 200_000;
const walked = ['codebook', 'ratio', 'whoEarned', 'teach'];
/** Lessons in which a language model learns. */
const ofModels = lessonNames.filter((name) => lessonFacts(name).needsModel);

test.for(walked)('%s is passed by keyboard alone', async (name, { visit }) => {
  const language = walked.indexOf(name) % 2 === 0 ? 'en' : 'de';
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

/** An answer to a choice question that is wrong if nothing is learned. */
const wrongOf = ({ choice, right }: Check & { kind: 'choice' }) =>
  right === undefined ? 'yes' : String(choice.find((option) => option !== right));

const checkStates = (page: Page) =>
  page.locator('.checks > li').evaluateAll((all) => all.map((one) => one.className.replace(/ ?svelte-\w+/, '')));

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
