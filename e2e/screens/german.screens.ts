// Pictures of the texts that a first visitor reads, and of the claims with all details unfolded, in both languages and
// on a narrow page.
import { expect } from 'vitest';
import { test } from '../browser.ts';
import { untilIteration, untilState } from '../contract.ts';
import { cut } from '../visitor.ts';
import { shoot } from './shoot.ts';

const sizes = { wide: { width: 1440, height: 1300 }, narrow: { width: 390, height: 1300 } };
const views = Object.keys(sizes).flatMap((size) => ['en', 'de'].map((language) => [size, language] as const));

test.for(views)('the first visit, before, during and at the end (%s, %s)', async ([size, language], { open }) => {
  const page = await open(`/?backend=cpu&seed=11&iterations=8&evaluation.every=2&lang=${language}`, {
    contextOptions: { viewport: sizes[size as keyof typeof sizes] },
  });
  const told = page.locator('.first');
  await shoot(page, `first-${size}-${language}-before`);
  await told.locator('button.primary').click();
  await untilIteration(page, 4);
  await shoot(page, `first-${size}-${language}-during`);
  await untilState(page, ['done']);
  await told.locator('.door').waitFor();
  await shoot(page, `first-${size}-${language}-done`);
});

test.for(views)('every claim, unfolded (%s, %s)', async ([size, language], { open }) => {
  const page = await open(`/?preset=micro&backend=cpu&lang=${language}`);
  await page.getByRole('button', { name: language === 'de' ? 'Experimente' : 'Experiments' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: language === 'de' ? 'Behauptungen' : 'Claims' }).click();
  const cards = dialog.getByRole('article');
  await cards.first().waitFor();
  await page.setViewportSize(sizes[size as keyof typeof sizes]);
  await shoot(page, `claims-${size}-${language}`);
  for (const more of await dialog.locator('article summary').all()) await more.click();
  expect(await cut(page, ['dialog', 'article', 'article header', 'article table', 'article form'])).toEqual([]);
  for (let at = 0; at < (await cards.count()); at += 2) {
    await cards.nth(at).scrollIntoViewIfNeeded();
    await cards.nth(at).evaluate((card) => card.scrollIntoView({ block: 'start' }));
    await shoot(page, `claims-${size}-${language}-${at + 1}`);
  }
});
