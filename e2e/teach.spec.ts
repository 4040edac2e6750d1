// Writes a lesson as docs/teach.md says: every instruction of its section on the first lesson is read and carried out.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const page = await readFile('docs/teach.md', 'utf8');
const [, section = ''] = /## Write your first lesson\n([\s\S]*?)\n## /.exec(page) ?? [];
const instructions = [...section.matchAll(/^ {3}- (.+)$/gm)].map(([, words = '']) => words);

/** Carries out one instruction of the documentation. */
async function follow(visited: Page, words: string): Promise<void> {
  const open = visited.getByRole('dialog', { name: 'Write a lesson' });
  const place = (await open.count()) > 0 ? open : visited;
  const [, verb, what = '', label = ''] =
    /^(Press|Tick|Write|Choose)(?: `(.+)` (?:into|in))? \*\*(.+)\*\*\.$/.exec(words) ?? [];
  const field = place.getByLabel(label, { exact: true });
  if (verb === 'Press') await place.getByRole('button', { name: label, exact: true }).click();
  else if (verb === 'Tick') await field.check();
  else if (verb === 'Write') await field.fill(what);
  else if (verb === 'Choose')
    await place.getByRole('combobox', { name: label, exact: true }).selectOption({ label: what });
  else throw new Error(`docs/teach.md: no visitor knows what to do at “${words}”.`);
}

test('a lesson that was written as docs/teach.md says opens from its link and can be passed', async ({ open }) => {
  expect(instructions.length).toBeGreaterThan(25);
  const teacher = await open('/?preset=micro&backend=cpu&lang=en');
  for (const words of instructions) await follow(teacher, words);
  const writer = teacher.getByRole('dialog', { name: 'Write a lesson' });
  await writer.getByText('Nothing is missing.').waitFor();
  expect(await faultsInBothThemes(teacher, 'dialog[open]')).toEqual([]);
  const link = new URL(await writer.getByLabel('Link of the lesson').inputValue());

  const pupil = await open(`${link.pathname}${link.search}&backend=cpu&evaluation.problems=64${link.hash}`);
  const panel = pupil.getByRole('region', { name: 'Lesson', exact: true });
  await panel.getByRole('heading', { name: 'Who knows the rule?' }).waitFor();
  const next = panel.getByRole('button', { name: 'Next' });
  await panel.getByRole('radio', { name: 'Both agents.' }).check();
  await panel.getByText('Read the small words before the rule.').waitFor();
  await expect.poll(() => next.isDisabled()).toBe(true);
  await panel.getByRole('radio', { name: 'The planner alone.' }).check();
  await next.click();
  await panel.getByRole('button', { name: 'Train', exact: true }).click();
  await panel.getByText('A team of two has begun to learn.').waitFor({ timeout: 120_000 });

  // After the visitor has left the lesson, a reload does not open it again.
  await panel.getByRole('button', { name: 'Leave the lesson' }).click();
  await pupil.waitForURL((url) => url.hash === '');
});

test('an incomplete link is reported and the page opens without the lesson; a draft is kept after a reload', async ({
  open,
}) => {
  const visitor = await open('/?preset=micro&backend=cpu&lang=en#ownLesson=eJwrz0');
  await visitor.getByText(/the lesson in the link is damaged or was cut short/).waitFor();
  await visitor.getByRole('region', { name: 'Setup' }).waitFor();
  const writer = visitor.getByRole('dialog', { name: 'Write a lesson' });
  const write = async () => {
    await visitor.getByRole('button', { name: 'Lessons', exact: true }).click();
    await visitor.getByRole('button', { name: 'Write a lesson' }).click();
  };
  await write();
  await writer.getByLabel('Title of the lesson').fill('Half done');
  await visitor.reload();
  await write();
  await expect.poll(() => writer.getByLabel('Title of the lesson').inputValue()).toBe('Half done');
  await writer.getByLabel('Open a file').setInputFiles({
    name: 'mine.yaml',
    mimeType: 'text/plain',
    buffer: Buffer.from('minutes: 2\nsteps:\n  - name: one\n    doez: train\ntexts:\n  title: Mine\n'),
  });
  await writer.getByText(/mine\.yaml: line 4, column 11: steps\.1\.doez: there is no such field/).waitFor();
  await expect.poll(() => writer.getByLabel('Title of the lesson').inputValue()).toBe('Mine');
  await visitor.setViewportSize({ width: 390, height: 844 });
  expect(await isWide(visitor)).toBe(false);
});
