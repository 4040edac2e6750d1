// Walks through one lesson as a visitor does, by keyboard alone, in either language: presses the button of each step,
// chooses and types answers, until the lesson is passed. The page decides whether an answer is right. The answers to
// type are read from the page.
import type { Locator, Page } from 'playwright-core';

/** The file of a language model, by its path or with its content, for a lesson that needs one. */
export type ModelFile = string | { name: string; mimeType: string; buffer: Buffer };

/** A control counts as unreachable after this many presses of Tab. */
const mostTabs = 300;
const pollMs = 200;
const readMs = 60_000;

/** For each lesson with a typed answer, the place that shows the answer, and how it is read from the texts there. */
const readings: Record<string, { place: string; typed: (texts: readonly string[]) => string }> = {
  ratio: {
    place: '[data-place="tokens"] [role="math"]:has(.symbols:text-matches("^r =")) b',
    typed: ([ratio = '']) => ratio.replace('=', '').trim(),
  },
  whoEarned: {
    place: '[data-place="credit"] tbody tr td:nth-of-type(1)',
    typed(texts) {
      const worths = texts.map((text) => Number.parseFloat(text.replace('−', '-').replace(',', '.')));
      return String(worths.indexOf(Math.max(...worths)) + 1);
    },
  },
};

const panelOf = (page: Page) => page.locator('.left .panel');

/** Moves the focus by Tab until the element has it. Throws if the element cannot be reached. */
async function reach(page: Page, goal: Locator): Promise<void> {
  const element = await goal.elementHandle();
  for (let presses = 0; presses < mostTabs; presses++) {
    if (await page.evaluate((wanted) => wanted === document.activeElement, element)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`not reached by ${mostTabs} presses of Tab: ${(await goal.innerText()).slice(0, 80)}`);
}

async function press(page: Page, button: Locator): Promise<void> {
  await reach(page, button);
  await page.keyboard.press('Enter');
}

interface Standing {
  isPassed: boolean;
  /** A check that waits for the run has failed, so waiting cannot pass the step. */
  isLost: boolean;
}

const standing = (page: Page) =>
  page.evaluate((): Standing => {
    const checks = [...document.querySelectorAll('.checks > li')];
    const waits = checks.filter((check) => check.querySelector('fieldset, form') === null);
    return {
      isPassed: checks.every((check) => check.classList.contains('passed')),
      isLost: waits.some((check) => check.classList.contains('failed')),
    };
  });

/** Waits until the step is passed or lost. Returns whether it is passed. With `goesBack`, makes each offered rewind. */
async function untilSettled(page: Page, goesBack: boolean, endsAt: number): Promise<boolean> {
  while (Date.now() < endsAt) {
    const { isPassed, isLost } = await standing(page);
    if (isPassed || isLost) return isPassed;
    if (goesBack) await goBack(page);
    await page.waitForTimeout(pollMs);
  }
  return false;
}

/** Rewinds the run if the guard offers it. */
async function goBack(page: Page): Promise<void> {
  const way = page.locator('[data-place="guard"] button.primary:enabled');
  if ((await way.count()) > 0) await press(page, way);
}

/** Waits until a button is enabled or the time is up. */
async function untilEnabled(page: Page, button: Locator, endsAt: number): Promise<void> {
  while ((await button.isDisabled()) && Date.now() < endsAt) await page.waitForTimeout(pollMs);
}

const isDone = (check: Locator) => check.evaluate((one) => one.classList.contains('passed'));

/** Tries the choices one after the other until the page accepts one. */
async function choose(page: Page, check: Locator): Promise<void> {
  const options = await check.getByRole('radio').count();
  await reach(page, check.getByRole('radio').first());
  await page.keyboard.press('Space');
  for (let i = 1; i < options && !(await isDone(check)); i++) await page.keyboard.press('ArrowDown');
}

/** Types the answer as soon as the page shows it. Returns false if the page does not show it in time. */
async function type(page: Page, lesson: string, question: Locator): Promise<boolean> {
  const reading = readings[lesson];
  if (!reading) throw new Error(`${lesson}: where the page shows the answer to type is not known`);
  const place = page.locator(reading.place);
  const lateMs = Date.now() + readMs;
  while ((await place.count()) === 0) {
    if (Date.now() > lateMs) return false;
    await page.waitForTimeout(pollMs);
  }
  const typed = reading.typed(await place.allInnerTexts());
  await reach(page, question.getByRole('textbox'));
  await page.keyboard.type(typed);
  await page.keyboard.press('Enter');
  return true;
}

/** Opens the file in the window with the models, and chooses the first preset for it. */
async function openModel(page: Page, model: ModelFile, limitMs: number): Promise<void> {
  const dialog = page.locator('dialog[open]');
  await dialog.locator('input[accept*=".gguf"]').setInputFiles(model);
  const choice = dialog.locator('[aria-labelledby="gallery-title"] li').first().getByRole('button');
  await choice.waitFor({ timeout: limitMs });
  await press(page, choice);
  // The button for training replaces this button.
  await dialog.locator('[aria-labelledby="gallery-title"] li.chosen').waitFor({ timeout: limitMs });
  await page.keyboard.press('Escape');
}

/** Does what the open step asks for. Returns whether the step is passed. */
async function takeStep(page: Page, lesson: string, endsAt: number, model?: ModelFile): Promise<boolean> {
  const panel = panelOf(page);
  const deed = panel.locator('section button.primary');
  if ((await deed.count()) > 0) {
    await untilEnabled(page, deed, endsAt);
    await press(page, deed);
    if (model && (await page.locator('dialog[open]').count()) > 0) await openModel(page, model, endsAt - Date.now());
  }
  // A question about the problem on the stage can be answered only when the stage shows one.
  if ((await page.locator('[data-points="problem"]').count()) > 0)
    await page.locator('[data-place="problem"] code').first().waitFor();
  for (const question of await panel.locator('.checks > li').all()) {
    if ((await question.locator('fieldset').count()) > 0) await choose(page, question);
    else if ((await question.locator('form').count()) > 0 && !(await type(page, lesson, question))) return false;
  }
  // A step with a button of its own may cause a collapse on purpose, which must stay visible, so it is not rewound.
  return untilSettled(page, (await deed.count()) === 0, endsAt);
}

/**
 * Walks through a lesson. Returns null if the lesson is passed, otherwise the title of the step that was not passed in time.
 * `look` is called with the number of each passed step, from 1. `model` is opened if a step shows the models.
 */
export async function walkLesson(
  page: Page,
  lesson: string,
  limitMs: number,
  { look, model }: { look?: (step: number) => Promise<void>; model?: ModelFile | undefined } = {},
): Promise<string | null> {
  const endsAt = Date.now() + limitMs;
  const heading = panelOf(page).locator('h3');
  const next = panelOf(page).locator('.moves button:nth-child(2)');
  await heading.waitFor({ timeout: limitMs });
  for (let step = 1; ; step++) {
    const title = await heading.innerText();
    if (!(await takeStep(page, lesson, endsAt, model))) return title;
    await look?.(step);
    if ((await panelOf(page).locator(':scope > .passed').count()) > 0) return null;
    await press(page, next);
  }
}
