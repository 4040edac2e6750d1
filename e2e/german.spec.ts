// The page in German contains no English, before training and after an iteration. This holds for the parts that a first
// visitor sees, a refusal of the link, a notice, the reason for the engine, a help text and the glossary. The visitor
// changes the language in the header, and the texts change immediately.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step } from './contract.ts';
import { cut, fileOf } from './visitor.ts';

/** Words that occur in English but in no German sentence. */
const english = /\b(the|and|of|with|this|are|not|from|each|how|what|right|wrong|turn|reward|problem|settings?)\b/i;
const places = ['header', '.strip', '.lanes', '.timeline', '.readouts', '.right', '.fields h2', '.fields .label'];

test('the German page contains no English around the dialogue, and the language can be changed in the header', async ({
  open,
}) => {
  const page = await open(
    '/?preset=default&backend=cpu&lang=de&learning.problemsPerIteration=4&evaluation.problems=16&iterations=4&learning.ratioLevel=token&agents.candidates=3',
  );
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  const spoken = () =>
    page.evaluate(
      (where) =>
        where.flatMap((place) =>
          [...document.querySelectorAll<HTMLElement>(place)].flatMap((one) =>
            one.innerText
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== ''),
          ),
        ),
      places,
    );
  const left = async () => (await spoken()).filter((line) => english.test(line));
  expect(await left()).toEqual([]);
  // A refusal with its remedy, and another notice.
  const refused = page.getByRole('alert');
  await expect
    .poll(() => refused.innerText())
    .toMatch(/^[\w.]+: Kandidaten .* aus dem Link weggelassen: agents\.candidates = 3/);
  await expect.poll(() => refused.getByRole('button').first().innerText()).toMatch(/^Diese \d setzen$/);
  await refused.getByRole('button', { name: 'Schließen' }).click();
  await page.getByRole('button', { name: 'Teilen' }).click();
  await page
    .locator('.notices')
    .getByText(/Link zu diesem Lauf ist kopiert|Das Kopieren war nicht erlaubt/)
    .waitFor();
  await step(page, 1);
  expect(await left()).toEqual([]);
  for (const width of [390, 1024, 1128, 1200, 1280, 1400, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await cut(page, ['html', 'header', '.centre', '.strip', '.readouts', '.right']), `${width}`).toEqual([]);
  }
  await page.locator('header .pill[popovertarget]').click();
  await page.locator('.why').getByText('Der Prozessor wurde verlangt.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Über Ratio', exact: true }).click();
  await page
    .getByText('Die Spanne, für die die Ratio der neuen zur alten Policy berechnet und gekappt wird.')
    .waitFor();
  await page.getByRole('button', { name: 'Glossar', exact: true }).click();
  await page.getByPlaceholder('Ein Wort suchen').fill('dead group');
  await expect.poll(() => page.locator('.terms dt').allInnerTexts()).toEqual(['Tote Gruppe']);
  await page.keyboard.press('Escape');
  await page.locator('header').getByLabel('Sprache').selectOption('en');
  await page.getByRole('button', { name: 'Train', exact: true }).first().waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('en-GB');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.locator('header .pill[popovertarget]').click();
  await page.locator('.why').getByText('The CPU was requested.').waitFor();
});

test('errors that come from a worker, such as faults in a file, are German too', async ({ open }) => {
  const page = await open('/?preset=micro&backend=cpu&lang=de');
  await page.getByRole('button', { name: 'Datei einlesen…' }).click();
  const dialog = page.getByRole('dialog');
  const input = dialog.locator('input[type=file]');
  await input.setInputFiles(fileOf('sums.jsonl', '{"text":"other columns"}\n'));
  await dialog.getByText(/^die Datei: erwartet: Zeilen in einer dieser Formen: GSM8K/).waitFor();
  await input.setInputFiles(fileOf('sums.parquet', 'PAR1 is all of it'));
  await dialog.getByText(/^die Datei: nicht als Parquet lesbar/).waitFor();
});
