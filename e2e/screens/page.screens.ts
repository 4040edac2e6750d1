// Pictures of the main screen in its states, from the first visit through training to a collapse, and of its dialogs.
import type { Page } from 'playwright-core';
import { test } from '../browser.ts';
import { step, untilIteration, untilState } from '../contract.ts';
import { download } from '../visitor.ts';
import { shoot } from './shoot.ts';

const few = 'backend=cpu&seed=11&evaluation.problems=64&evaluation.every=2';
const small = `${few}&learning.problemsPerIteration=32`;
const narrow = { contextOptions: { viewport: { width: 390, height: 844 } } };
const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

test('a first visit, training, paused and looked back', async ({ visit }) => {
  const { page } = await visit(`/?${few}&iterations=30`);
  await untilState(page, ['idle']);
  await page.getByText(/to the end/).waitFor();
  await shoot(page, 'firstVisit');
  await click(page, 'Train');
  await untilIteration(page, 8);
  await shoot(page, 'training');
  await page.keyboard.press(' ');
  await untilState(page, ['paused']);
  await shoot(page, 'paused');
  for (let i = 0; i < 3; i++) await page.keyboard.press('[');
  await shoot(page, 'lookedBack');
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  await page.getByRole('slider', { name: /problems, one rollout each/ }).press('End');
  await page
    .getByRole('button', { name: /, formula$/ })
    .first()
    .waitFor();
  await shoot(page, 'lastProblem');
  await page.getByTitle('All problems of this iteration').click();
  await page.getByRole('listbox', { name: /^Problems of iteration/ }).waitFor();
  await shoot(page, 'problems');
});

test('done', async ({ open }) => {
  const page = await open(`/?${small}&iterations=12`);
  await click(page, 'Train');
  await untilState(page, ['done']);
  await shoot(page, 'done');
  await click(page, /^right answers/);
  await shoot(page, 'readout');
  await click(page, 'Measure 16 answers');
  await page.getByRole('region', { name: 'Several answers' }).waitFor({ timeout: 120_000 });
  await page.getByRole('region', { name: 'Several answers' }).scrollIntoViewIfNeeded();
  await shoot(page, 'severalAnswers');
});

test('the setup with everything unfolded', async ({ open }) => {
  const page = await open(`/?preset=default&${small}`);
  await page.setViewportSize({ width: 1440, height: 3600 });
  for (const button of await page
    .locator('.left')
    .getByRole('button', { name: /, advanced/ })
    .all())
    await button.click();
  await shoot(page, 'setup');
});

test('a token: formula, other learners, attention', async ({ open }) => {
  const page = await open(`/?preset=default&${small}&learning.clipLow=0.02&learning.clipHigh=0.02`);
  await step(page, 1, 2, 3);
  await shoot(page, 'group');
  await page.keyboard.press('c');
  await page.getByRole('region', { name: /enters the loss/ }).waitFor();
  await shoot(page, 'formula');
  await page.getByText('Under other learners').click();
  await page.getByText('Attention of the token').click();
  await page.getByRole('img', { name: /^Attention to/ }).waitFor();
  await page.getByRole('img', { name: /^Attention to/ }).scrollIntoViewIfNeeded();
  await shoot(page, 'attention');
});

test('sheets over the page', async ({ open }) => {
  const page = await open(`/?preset=default&${small}&run.checkpointEvery=1`);
  await step(page, 1, 2, 3);
  for (const [key, name, shown] of [
    ['d', 'dialogues', 'Stored dialogues'],
    ['t', 'throughTime', 'One problem through time'],
    ['p', 'profiler', 'Where the time goes'],
    ['?', 'keys', 'Keys'],
  ] as const) {
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: shown });
    await dialog.waitFor();
    await page.waitForTimeout(1500); // the dialog loads its content in several parts
    await shoot(page, name);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  }
  for (const [label, name] of [
    ['Glossary', 'glossary'],
    ['Library of runs', 'library'],
    ['Models', 'models'],
  ] as const) {
    await click(page, label);
    await page.getByRole('dialog', { name: label }).waitFor();
    await shoot(page, name);
    if (name === 'glossary') await page.keyboard.press('Escape');
  }
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^The agents of / })
    .first()
    .click();
  await shoot(page, 'evaluation');
});

test('the health cards ring and a collapse is caught', async ({ open }) => {
  const page = await open(
    '/?preset=default&backend=cpu&seed=11&iterations=30&optimiser.learningRate=0.01&optimiser.warmupUpdates=0&evaluation.problems=256&evaluation.every=1&run.checkpointEvery=1&learning.problemsPerIteration=8',
  );
  await click(page, 'Train');
  await page.getByRole('region', { name: 'The run has collapsed' }).waitFor({ timeout: 120_000 });
  await untilState(page, ['paused']);
  await shoot(page, 'collapse');
  await page.getByRole('region', { name: 'Health', exact: true }).scrollIntoViewIfNeeded();
  await shoot(page, 'health');
});

test('a refused link, a warm start that is not there, no WebGPU, another tab', async ({ visit }) => {
  const refused = await visit(`/?preset=micro&${few}&learning.clipHigh=wide&learning.aggregation=token&autostart=1`);
  await untilState(refused.page, ['idle']);
  await shoot(refused.page, 'refusedLink');
  const cold = await visit(`/?${few}&world.level=2`);
  await cold.page
    .getByText(/warm start/)
    .first()
    .waitFor();
  await cold.page.waitForTimeout(3000);
  await shoot(cold.page, 'warmStart');
  const plain = await visit('/?seed=11');
  await untilState(plain.page, ['idle']);
  await click(plain.page, /^CPU/);
  await shoot(plain.page, 'noWebgpu');
  const first = await visit(`/?preset=micro&${few}&iterations=5000&autostart=1`);
  await untilIteration(first.page, 2);
  const second = await visit(`/?preset=micro&${few}`, { context: first.context });
  await second.page.getByRole('region', { name: 'Another tab' }).waitFor();
  await second.page.waitForTimeout(1500);
  await shoot(second.page, 'anotherTab');
});

test('the narrow page', async ({ open }) => {
  const page = await open(`/?${small}`, narrow);
  await step(page, 1, 2);
  for (const name of ['Setup', 'Dialogue', 'Charts']) {
    await page.getByRole('navigation').getByRole('button', { name }).click();
    await shoot(page, `narrow${name}`);
  }
  await page.getByRole('navigation').getByRole('button', { name: 'Dialogue' }).click();
  await page
    .getByRole('button', { name: /, formula$/ })
    .first()
    .click();
  await page.getByRole('region', { name: /enters the loss/ }).scrollIntoViewIfNeeded();
  await shoot(page, 'narrowFormula');
});

test('an archive that is only looked at, and the library that opens it', async ({ open }) => {
  const page = await open(`/?${few}&preset=micro&iterations=9`);
  await step(page, 1, 2, 3);
  await click(page, 'Library of runs');
  const { bytes } = await download(page, /^Save the run archive/);
  await page.getByLabel('Only view the archive').check();
  await page.getByLabel('Only view the archive').scrollIntoViewIfNeeded();
  await shoot(page, 'openArchive');
  await page
    .getByLabel('Open a run archive (zip)')
    .setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(bytes) });
  await page.getByText('Open for viewing:').waitFor();
  await page.keyboard.press('ArrowLeft');
  await shoot(page, 'archiveOnShow');
  await page.setViewportSize({ width: 390, height: 844 });
  await shoot(page, 'narrowArchiveOnShow');
});
