// How a lesson responds to wrong answers and to a team that does not learn, and how the page reports an unknown lesson.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const panel = (page: Page) => page.getByRole('region', { name: /^(Lesson|Lektion)$/ });
const step = (page: Page) => panel(page).getByRole('heading', { level: 3 });
const press = async (page: Page, name: string) => {
  await panel(page).getByRole('button', { name, exact: true }).focus();
  await page.keyboard.press('Enter');
};
/** Waits until every check of the step is passed. */
const untilPassed = (page: Page) =>
  page.waitForFunction(
    () => {
      const checks = [...document.querySelectorAll('.checks > li')];
      return checks.length > 0 && checks.every((check) => check.classList.contains('passed'));
    },
    null,
    { timeout: 120_000 },
  );

test('the lesson “two minds, one sum” is passed by keyboard, from its link to the last check', async ({ open }) => {
  const page = await open('/?lesson=twoMinds&backend=cpu&evaluation.problems=256');
  // The question is about the sum on the stage; the stage also shows its rule.
  const rule =
    /Only the planner knows:\s*(.*)/.exec(await page.locator('[data-place="problem"]:has(code)').innerText())?.[1] ??
    '';
  await expect.poll(() => page.getByRole('region', { name: 'Setup' }).count()).toBe(0);
  const next = panel(page).getByRole('button', { name: 'Next' });
  // The lesson explains the wrong answer and does not continue.
  const answer = (name: string) => panel(page).getByRole('radio', { name, exact: true });
  expect(rule).toMatch(/^(left to right|right to left)/);
  const [right, wrong] = rule.startsWith('right') ? ['Yes', 'No'] : ['No', 'Yes'];
  await answer(wrong ?? '').press('Space');
  await panel(page).getByText('Right to left begins at the right end').waitFor();
  await expect.poll(() => next.isDisabled()).toBe(true);
  await answer(right ?? '').press('Space');
  await press(page, 'Next');
  expect(await step(page).evaluate((heading) => heading === document.activeElement)).toBe(true);
  await press(page, 'Train');
  await untilPassed(page);
  await press(page, 'Next');
  await panel(page)
    .getByRole('radio', { name: /name the step/ })
    .press('Space');
  await panel(page).getByText('Lesson passed').waitFor();
  await page.keyboard.press('Escape');
  expect(await faultsInBothThemes(page, '.left')).toEqual([]);
  // The language can be changed during the lesson, and the lesson stays passed.
  await panel(page).getByLabel('Language of lessons').selectOption('de');
  await panel(page).getByText('Lektion bestanden').waitFor();
  await press(page, 'Lektion verlassen');
  await page.getByRole('region', { name: 'Einstellungen' }).waitFor();
  await page.waitForURL((url) => !url.searchParams.has('lesson'));
});

test('the lesson is not passed if the team does not learn, and it can be started again', async ({ open }) => {
  const page = await open(
    '/?lesson=twoMinds&backend=cpu&lang=de&iterations=2&optimiser.learningRate=1e-6&evaluation.problems=64&evaluation.every=1',
  );
  await page.locator('[data-place="problem"] code').first().waitFor();
  const begins = /weiß:\s*von rechts/.test(await page.locator('[data-place="problem"]').innerText());
  await panel(page)
    .getByRole('radio', { name: begins ? 'Ja' : 'Nein' })
    .check();
  await press(page, 'Weiter');
  await press(page, 'Trainieren');
  await untilState(page, ['done']);
  await panel(page).getByText('Nicht bestanden').waitFor();
  await expect.poll(() => panel(page).getByRole('button', { name: 'Weiter' }).isDisabled()).toBe(true);
  await press(page, 'Von vorn beginnen');
  await panel(page).getByRole('heading', { name: 'Das Spiel' }).waitFor();
  await untilState(page, ['idle']);
});

test('an unknown lesson is reported and the page opens without it; on a phone the lesson has a tab', async ({
  open,
}) => {
  const page = await open('/?lesson=nothing&preset=micro&backend=cpu');
  await page.getByText(/there is no lesson with the name .nothing./).waitFor();
  await page.getByRole('region', { name: 'Setup' }).waitFor();
  const narrow = await open('/?lesson=twoMinds&backend=cpu', {
    contextOptions: { viewport: { width: 390, height: 844 }, locale: 'de-AT' },
  });
  await narrow.getByRole('heading', { name: 'Zwei Köpfe, eine Aufgabe' }).waitFor();
  expect(await isWide(narrow)).toBe(false);
  await narrow.getByRole('button', { name: 'Zeigen' }).click();
  await narrow.getByText('Nur der Planer weiß:').waitFor();
});

test('the first Tab offers a link to the lesson, and its controls come before the dialogue', async ({ open }) => {
  const page = await open('/?lesson=twoMinds&backend=cpu&lang=en');
  await panel(page).getByRole('heading').first().waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the lesson');
  await page.keyboard.press('Enter');
  const answer = panel(page).getByRole('radio').or(panel(page).getByRole('textbox')).first();
  let stops = 0;
  while (stops < 8 && !(await answer.evaluate((one) => one === document.activeElement))) {
    await page.keyboard.press('Tab');
    stops++;
  }
  expect(stops).toBeLessThan(8);
});

test('a ratio is calculated by hand, and the lesson rejects a wrong number', async ({ open }) => {
  const page = await open('/?lesson=ratio&backend=cpu&lang=en&evaluation.problems=16');
  await press(page, 'Train one iteration');
  await untilPassed(page);
  await press(page, 'Next');
  await press(page, 'Open a clipped token');
  const line = page.getByRole('math', { name: /^ratio =/ }).locator('b');
  const ratio = (await line.innerText()).replace('=', '').trim();
  await panel(page).getByRole('textbox').fill('9');
  await page.keyboard.press('Enter');
  await panel(page).getByText('Divide the probability now').waitFor();
  await panel(page).getByRole('textbox').fill(ratio);
  await page.keyboard.press('Enter');
  await untilPassed(page);
});
