// The page in a classroom: the projector view by link and by key, and the results of a class of thirty.
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { writeResultCode } from '../src/formats/resultCode.ts';
import { claimDigest, writeResultFile } from '../src/formats/resultFile.ts';
import type { ClaimRecord } from '../src/records/claims/claimRecord.ts';
import { test } from './browser.ts';
import { cut, faultsInBothThemes, fileOf, isWide } from './visitor.ts';

test('the projector view has no header or setup but a pointer, and thirty results become one interval', async ({
  open,
}) => {
  const contextOptions = { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' } as const;
  const page = await open('/?preset=micro&backend=cpu&lang=en&view=projector', { contextOptions });
  const setup = page.getByRole('region', { name: 'Setup' });
  const leave = page.getByRole('button', { name: 'Leave (Esc)' });
  await leave.waitFor();
  await expect.poll(() => page.getByRole('banner').count()).toBe(0);
  await expect.poll(() => setup.count()).toBe(0);
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await cut(page, ['.page', '.centre', '.right', '.stage .panel'])).toEqual([]);
  await page.keyboard.press('l');
  await page.mouse.move(300, 200);
  const dot = await page.locator('#app > .dot').boundingBox();
  expect(dot && [dot.x + dot.width / 2, dot.y + dot.height / 2].map(Math.round)).toEqual([300, 200]);
  expect(await page.locator('#app > .dot').evaluate((one) => getComputedStyle(one).animationName)).toBe('none');
  await page.keyboard.press('Escape');
  await setup.waitFor();
  await page.keyboard.press('v');
  await leave.click();
  await setup.waitFor();

  await page.getByRole('button', { name: 'Lessons', exact: true }).click();
  await page.getByRole('button', { name: 'Teacher’s sheet', exact: true }).first().click();
  await page.getByText('Where does the meaning of its message come from?').waitFor();
  await page.getByRole('button', { name: 'All lessons' }).click();
  await page.getByRole('button', { name: 'Results of a class' }).click();
  const { rows } = JSON.parse(await readFile('bench/results/claims.json', 'utf8')) as { rows: ClaimRecord[] };
  const claim = rows.find(({ id }) => id === 'collapse') as ClaimRecord;
  const digest = claimDigest(claim) as string;
  const files = Array.from({ length: 30 }, (_, i) => {
    const values: [number, number] = [0.05 + (i % 7) / 100, 0];
    return fileOf(
      `pupil-${i}.json`,
      writeResultFile([{ claim: 'collapse', digest, seed: 100 + i, values, backend: 'simd' }]),
    );
  });
  // The files are dropped as soon as the view is open and has read its claims.
  await page.getByText('Type the codes of the class, or drop its result files here.').waitFor();
  await page.evaluate(
    (texts) => {
      const dataTransfer = new DataTransfer();
      for (const [name, text] of texts) dataTransfer.items.add(new File([text], name));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    },
    [...files, fileOf('foreign.json', '{}')].map(({ name, buffer }) => [name, buffer.toString()] as [string, string]),
  );
  await page.getByText('30 results', { exact: true }).waitFor();
  await page.getByText(claim.statement, { exact: true }).last().waitFor();
  await page.getByText(/^foreign\.json: /).waitFor();
  await page.getByRole('img', { name: /^The mean difference after each result\. After 30 results: \+0\.0/ }).waitFor();
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await faultsInBothThemes(page, '.class')).toEqual([]);
  await page.getByRole('button', { name: 'Forget these results' }).click();
  await page.getByText('0 results', { exact: true }).waitFor();

  // The code of a result can also be typed, as a student reads it out.
  const code = writeResultCode({ digest, seed: 101, values: [0.0912, 0] }, claim.measuredBy) as string;
  const field = page.getByLabel('Code', { exact: true });
  await field.fill(code.replace(/^./, (first) => (first === 'Z' ? 'Y' : 'Z')));
  await field.press('Enter');
  await page.getByText(/has a wrong character; type it again\.$/).waitFor();
  await field.fill(code.toLowerCase());
  await page.getByRole('button', { name: 'Add the code' }).click();
  await page.getByText('The result of seed 101 was added.').waitFor();
  await page.getByText('+0.091', { exact: true }).waitFor();
  expect(await faultsInBothThemes(page, '.class')).toEqual([]);
  await page.getByRole('button', { name: 'Forget these results' }).click();
  await page.keyboard.press('Escape');
  await setup.waitFor();
});
