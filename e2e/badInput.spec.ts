// The page names each fault in a link or a run file: the field, the expected value and the given value. The page stays
// usable with the last good settings, so each test ends with training.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, runState, untilIteration, untilOpen, untilReopened, untilState } from './contract.ts';
import { drop, openRunFile } from './visitor.ts';

const problems = (page: Page) => page.getByRole('alert').allInnerTexts();

async function trains(page: Page): Promise<void> {
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Train' }).click();
  await untilIteration(page, 1);
}

test('a link with conflicting settings keeps the others and starts nothing, and one click sets what is needed', async ({
  open,
}) => {
  const page = await open('/?preset=micro&agents.candidates=4&seed=4&iterations=7&autostart=1');
  const notice = page.getByRole('alert').filter({ hasText: 'agents.candidates = 4 in the link was ignored' });
  await page.getByText('Nothing was started automatically').waitFor();
  expect(await iterationOf(page)).toBe(0);
  await expect.poll(() => page.locator('[data-field="run.iterations"] input[type=text]').inputValue()).toBe('7');
  await expect.poll(() => notice.innerText()).toContain('Across agents: own');
  await notice.getByRole('button', { name: 'Set these 6' }).click();
  await expect.poll(() => page.locator('[data-field="learning.learner"]').innerText()).toContain('AT-GRPO');
  await notice.waitFor({ state: 'detached' });
  await untilOpen(page);
  await trains(page);
});

test('choosing a learner sets its published form, the page lists the changes, and one click undoes them', async ({
  open,
}) => {
  const page = await open('/?preset=micro');
  const learner = page.getByRole('combobox', { name: 'Learner' });
  const row = page.locator('[data-field="learning.learner"]');
  await expect.poll(() => row.innerText()).toContain('These settings differ from GRPO 2402.03300: turn ratio');
  await learner.selectOption('ippo');
  const told = row.getByRole('status');
  await told.waitFor();
  for (const set of ['Parameters: Separate', 'Across agents: own', 'Ratio: Token', 'Rollouts of each problem: 1'])
    await expect.poll(() => told.innerText()).toContain(set);
  await expect
    .poll(() => row.innerText())
    .toContain('The settings match the published form of the learner, IPPO 2011.09533.');
  await row.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => learner.inputValue()).toBe('grpo');
  await expect.poll(() => row.innerText()).toContain('turn ratio');
  await row.getByRole('button', { name: 'Use the published form' }).click();
  await expect
    .poll(() => row.innerText())
    .toContain('The settings match the published form of the learner, GRPO 2402.03300.');
  await learner.selectOption('ippo');
  await untilOpen(page);
  await untilReopened(page);
  await trains(page);
});

test('a run file with conflicting settings is refused, and one click opens it with the settings it needs', async ({
  open,
}) => {
  const page = await open('/?preset=micro');
  await drop(page, 'odd.yaml', 'format: 1\npreset: micro\nlearning:\n  aggregation: token\n');
  const notice = page.getByRole('alert').filter({ hasText: 'odd.yaml: line 4, column 16: learning.aggregation' });
  await notice.getByRole('button', { name: 'Open it with Ratio: Token' }).click();
  await notice.waitFor({ state: 'detached' });
  await untilOpen(page);
  await trains(page);
});

test('an unknown preset is named together with the existing presets, and the first preset opens', async ({ open }) => {
  const page = await open('/?preset=gigantic');
  const told = await problems(page);
  expect(told).toHaveLength(1);
  for (const word of ['preset', 'expected one of quick', 'micro', '"gigantic"']) expect(told[0]).toContain(word);
  await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('quick');
});

// The page has room for three notices at once.
const badLinks: Record<string, string[]>[] = [
  {
    'learning.clipHigh=wide': ['learning.clipHigh: expected a number', '"wide"'],
    'learning.clip=0.2': ['"learning.clip"', 'section.field=value'],
    'seed=1&seed=2': ['seed: this setting occurs twice'],
  },
  {
    'learning.clipHigh=-3': ['learning.clipHigh: expected a number', '-3'],
    'groupSize=4': ['"groupSize"', 'learning.groupSize'],
    'autostart=perhaps': ['autostart: expected 1 or 0', '"perhaps"'],
  },
];

for (const bad of badLinks) {
  const parts = Object.keys(bad);
  test(`${parts.join(' and ')} are named, and the rest of the link trains`, async ({ visit }) => {
    const { page } = await visit(`/?preset=micro&${parts.join('&')}`);
    await trains(page);
    const told = await problems(page);
    for (const [part, words] of Object.entries(bad))
      expect(
        told.filter((notice) => ['ConfigError', ...words].every((word) => notice.includes(word))),
        part,
      ).toHaveLength(1);
    await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('micro');
  });
}

test('if WebGPU is requested but not available, the page says why, and it trains after the CPU is chosen', async ({
  visit,
}) => {
  const { page } = await visit('/?preset=micro&backend=webgpu&autostart=1');
  await page.waitForFunction(() => document.documentElement.dataset['runState'] === 'failed');
  const told = await page.getByRole('region', { name: 'Dialogue and timeline' }).innerText();
  for (const word of ['DeviceLostError', 'run.backend', 'webgpu was requested', 'run.backend = cpu']) {
    expect(told).toContain(word);
  }
  await page.getByRole('button', { name: 'Use the CPU' }).click();
  await untilOpen(page);
  await trains(page);
  await page.getByRole('button', { name: /^CPU/ }).waitFor();
});

/** A browser that grants the engine one GiB. */
const oneGibibyte = `
const { Memory } = WebAssembly;
WebAssembly.Memory = class extends Memory {
  constructor(wish) {
    if (wish.initial > 16384) throw new RangeError('no more is granted');
    super(wish);
  }
};
`;

test('a run that needs too much memory is refused, and it trains with the settings that the button sets', async ({
  visit,
}) => {
  const debate = 'agents.size=medium&agents.protocol=debate&agents.count=6&agents.roundLimit=3';
  // All rows of a dialogue have one ratio, so they must fit together.
  const large = `${debate}&learning.ratioLevel=dialogue&learning.aggregation=dialogue`;
  const { page, context } = await visit('/?preset=micro');
  await context.route(/page\.worker-[\w-]+\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: oneGibibyte + (await response.text()) });
  });
  await page.goto(new URL(`/?preset=micro&backend=cpu&warmStart.source=none&${large}`, page.url()).href);
  await page.waitForFunction(() => document.documentElement.dataset['runState'] === 'failed');
  const bar = page.getByRole('region', { name: 'The run has stopped' });
  await bar.getByRole('button', { name: /^Set .* to Tiny/ }).click();
  await untilOpen(page);
  await trains(page);
});

test('a bad run file is named with its line and column, and changes nothing', async ({ open }) => {
  const page = await open('/?preset=micro');
  for (const [text, words] of [
    ['format: 1\npreset: micro\nlearning:\n  clipHigh: wide\n', ['ConfigError', 'line 4', 'learning.clipHigh', 'wide']],
    ['format: 1\npreset: micro\nlearning:\n  - [', ['FormatError', 'line 4']],
    ['hello', ['FormatError', 'line 1']],
  ] as const) {
    await openRunFile(page, text);
    const notice = page.getByRole('alert').filter({ hasText: words[1] }).filter({ hasText: words[0] });
    await notice.waitFor();
    for (const word of words) await expect.poll(() => notice.innerText()).toContain(word);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
  }
  await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('micro');
  await trains(page);
});

test('a dropped file is opened as a run file or refused; the browser stays on the page and training goes on', async ({
  open,
}) => {
  const page = await open('/?backend=cpu&preset=micro&iterations=5000');
  for (const [name, text, words] of [
    ['photo.jpg', '\u0089PNG', ['FormatError', 'line 1']],
    ['film.mp4', 'x'.repeat(2_000_000), ['FormatError', 'film.mp4', 'at most 150 kB, got 2 MB']],
  ] as const) {
    expect(await drop(page, name, text)).toEqual([false, false]);
    const notice = page.getByRole('alert').filter({ hasText: words[1] });
    await notice.waitFor();
    for (const word of words) await expect.poll(() => notice.innerText()).toContain(word);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
  }
  await page.getByRole('button', { name: 'Train' }).click();
  await untilIteration(page, 1);
  await drop(page, 'run.yaml', 'format: 1\npreset: ppo\n');
  await page.getByText('Nothing was opened: pause the run first').waitFor();
  await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('micro');
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilState(page, ['paused']);
  await drop(page, 'run.yaml', 'format: 1\npreset: ppo\n');
  await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('ppo');
});

test('an impossible edit is refused next to its field, and the run trains with the last good settings', async ({
  open,
}) => {
  const page = await open('/?preset=micro&optimiser.learningRate=0.001');
  const rate = page.locator('[data-field="optimiser.learningRate"]');
  const input = rate.locator('input[type=text]');
  await input.fill('7');
  await input.press('Enter');
  await rate.getByRole('alert').waitFor();
  await expect.poll(() => rate.getByRole('alert').innerText()).toMatch(/expected a number .*got 7/i);
  expect(await runState(page)).toBe('idle');
  expect(await iterationOf(page)).toBe(0);
  await rate.getByRole('button', { name: 'Undo' }).click();
  await trains(page);
});

test('an ambiguous number is refused in its field, and a field for whole numbers accepts only digits', async ({
  open,
}) => {
  const page = await open('/?preset=micro&iterations=7');
  const iterations = page.locator('[data-field="run.iterations"]');
  const input = iterations.locator('input[type=text]');
  for (const text of ['1,000', '10,000', '1.000', '1 000', '0x10']) {
    await input.fill(text);
    await input.press('Tab');
    await expect.poll(() => iterations.getByRole('alert').innerText()).toContain(`got "${text}"`);
    await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true');
  }
  await input.fill('8');
  await input.press('Tab');
  await iterations.getByRole('alert').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Experiments' }).click();
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByRole('tab', { name: 'Seeds' }).click();
  const seed = dialog.getByLabel('from seed');
  for (const [typed, taken] of [
    ['1.000', '1000'],
    ['1,000', '1000'],
    ['1 000', '1000'],
    ['12e', '12'],
  ] as const) {
    await seed.fill('');
    await seed.pressSequentially(typed);
    await seed.press('Tab');
    await expect.poll(() => seed.inputValue(), { message: typed }).toBe(taken);
  }
  await seed.fill('3');
  await page.keyboard.press('Escape');
  await trains(page);
});
