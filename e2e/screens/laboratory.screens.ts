// Pictures of the screens for interventions, experiments, the worth of messages, and custom worlds and protocols.
import { gsm8kRow, rowsOf } from '../../src/formats/datasets/testing/rows.ts';
import { test } from '../browser.ts';
import { step, untilState } from '../contract.ts';
import { fileOf } from '../visitor.ts';
import { shoot } from './shoot.ts';

const few =
  'backend=cpu&seed=11&evaluation.problems=64&evaluation.every=1&learning.problemsPerIteration=8&run.checkpointEvery=1';

test('interventions: a problem asked, a branch beside its origin', async ({ open }) => {
  const page = await open(`/?preset=default&${few}`);
  await step(page, 1, 2);
  const sheet = page.getByRole('dialog', { name: 'Try it yourself' });
  await page.getByRole('button', { name: 'Ask your own problem' }).click();
  await sheet.getByRole('table', { name: 'Both dialogues compared' }).waitFor();
  await shoot(page, 'asked');
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  await sheet.locator('.columns[aria-busy="false"]').waitFor();
  await sheet.getByRole('textbox', { name: 'Text of turn 1' }).fill('9*9');
  await page.keyboard.press('Enter');
  await sheet.getByText('turn 1 edited').waitFor();
  await shoot(page, 'branch');
  await page.setViewportSize({ width: 390, height: 844 });
  await shoot(page, 'narrowBranch');
  await page.setViewportSize({ width: 1440, height: 900 });
  await sheet.getByText('What if the reward were weighted differently?').click();
  await sheet.getByRole('spinbutton', { name: 'Legal plan' }).fill('1');
  await page.keyboard.press('Enter');
  await sheet.getByRole('table', { name: 'The group with both weightings' }).waitFor();
  await sheet.getByRole('textbox', { name: 'Name' }).press('Enter');
  await sheet.getByRole('heading', { name: 'Kept with this run' }).waitFor();
  await sheet.getByRole('heading', { name: 'Kept with this run' }).scrollIntoViewIfNeeded();
  await shoot(page, 'whatIf');
});

test('experiments: same luck, seeds, two runs compared, claims', async ({ open }) => {
  const page = await open(`/?preset=default&${few}&iterations=4`);
  await step(page, 1, 2);
  await page.getByRole('button', { name: 'Experiments' }).click();
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByLabel('Change').selectOption('learning.ratioLevel');
  await dialog.getByRole('combobox', { name: 'to', exact: true }).selectOption('token');
  await dialog.getByLabel('From').selectOption('0');
  await dialog.getByLabel('for iterations').fill('4');
  await dialog.getByRole('button', { name: 'Run both arms' }).click();
  await dialog.getByText(/^After iteration 4:/).waitFor({ timeout: 120_000 });
  await dialog.getByRole('progressbar').waitFor({ state: 'detached', timeout: 60_000 });
  await shoot(page, 'sameLuck');
  await dialog.getByRole('tab', { name: 'Seeds' }).click();
  await dialog.getByRole('spinbutton', { name: 'Seeds' }).fill('3');
  await dialog.getByRole('button', { name: 'Run 3 seeds' }).click();
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('progressbar').waitFor({ state: 'detached', timeout: 180_000 });
  await shoot(page, 'seeds');
  await dialog.getByRole('tab', { name: 'Claims' }).click();
  await dialog.getByRole('article').first().waitFor();
  await shoot(page, 'claims');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Library of runs' }).click();
  const library = page.getByRole('dialog', { name: 'Library of runs' });
  for (const arm of ['token ratio', 'unchanged'])
    await library.getByRole('button', { name: new RegExp(`^Compare .*${arm}$`) }).click();
  await shoot(page, 'libraryOfMany');
  await library.getByRole('button', { name: 'Compare them' }).click();
  await dialog.getByText(/^After iteration \d/).waitFor();
  await shoot(page, 'compare');
});

test('messages measured: their worth, and the codebook', async ({ open }) => {
  const page = await open(`/?preset=default&${few}`);
  await step(page, 1);
  await page.getByText('What were these messages worth?').click();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const worth = page.getByRole('table', { name: 'Messages of this dialogue' });
  await worth.waitFor();
  await worth.scrollIntoViewIfNeeded();
  await shoot(page, 'creditTruth');
  await page.getByText('What do they say?').click();
  await page.getByRole('button', { name: 'Read the codebook' }).click();
  const codebook = page.getByRole('table', { name: 'First messages by hidden part' });
  await codebook.waitFor();
  await codebook.scrollIntoViewIfNeeded();
  await shoot(page, 'codebook');
});

test('a world and a protocol of one’s own, an import, a file that is no run', async ({ open }) => {
  const page = await open(`/?preset=micro&${few}`);
  await page.getByRole('button', { name: 'Write your own…' }).click();
  const worlds = page.getByRole('dialog', { name: 'Worlds of your own' });
  await worlds.locator('.cm-content').waitFor();
  await worlds.getByRole('button', { name: 'Try it' }).click();
  await worlds.getByText('Problem 1 of 10').waitFor();
  await shoot(page, 'ownWorld');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Import a file…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a file' });
  const rows = rowsOf(gsm8kRow, 60).map((row) => `${JSON.stringify(row)}\n`);
  await dialog.getByLabel(/Choose or drop/).setInputFiles(fileOf('sums.jsonl', rows.join('')));
  await dialog.getByText(/60 problems/).waitFor();
  await shoot(page, 'import');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Library of runs' }).click();
  await page.getByLabel('Open a run file (YAML)').setInputFiles(fileOf('notes.yaml', 'learning: {clip: [1\n'));
  await page.getByRole('alert').first().waitFor();
  await shoot(page, 'refusedFile');
  const agent = { role: 'debater', hears: [], sees: 'all' };
  const protocol = {
    agents: [agent, { ...agent, hears: [0] }, { ...agent, hears: [0, 1] }],
    order: [[0], [1, 2]],
    answer: 2,
  };
  const own = encodeURIComponent(JSON.stringify(protocol));
  const drawn = await open(`/?preset=micro&${few}&warmStart.source=none&agents.protocol=own&agents.own=${own}`);
  await drawn.setViewportSize({ width: 1440, height: 1500 });
  await drawn.getByRole('button', { name: /^Agents, advanced: / }).click();
  await drawn.locator('[data-field="agents.own"]').scrollIntoViewIfNeeded();
  await step(drawn, 1);
  await untilState(drawn, ['paused']);
  await shoot(drawn, 'ownProtocol');
});
