// The view for the first minute: few controls and words in large type, one button that trains, one problem that the
// untrained team did not solve, an iteration in slow motion, and problems of the visitor's own.
import jsQR from 'jsqr';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

/** The controls, words and small texts that are in view without scrolling. */
const seen = () => {
  const isSeen = (one: Element) => {
    const { top, bottom, width, height } = one.getBoundingClientRect();
    return top < innerHeight && bottom > 0 && width > 1 && height > 1 && one.checkVisibility();
  };
  const main = document.querySelector('main.first-minute') as HTMLElement;
  const controls = [...document.querySelectorAll('button, a[href], input, select, summary')].filter(isSeen);
  const texts: { text: string; size: number }[] = [];
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement as HTMLElement;
    const text = node.textContent?.trim() ?? '';
    // Numbers on the axes of a chart are no words.
    if (text && isSeen(parent) && !parent.closest('svg, .drawing')) {
      texts.push({ text, size: Number.parseFloat(getComputedStyle(parent).fontSize) });
    }
  }
  const words = texts.flatMap(({ text }) => text.match(/\p{L}{2,}/gu) ?? []).length;
  return { controls: controls.length, words, small: texts.filter(({ size }) => size < 16).map(({ text }) => text) };
};

test('few controls and words are in view, one button trains, and an unsolved problem is shown before and now', async ({
  open,
}) => {
  const contextOptions = { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' } as const;
  const page = await open('/?backend=cpu&lang=en&view=stage', { contextOptions });
  const learn = page.getByRole('button', { name: 'Let them learn' });
  await learn.waitFor();
  await page.getByRole('figure').first().waitFor();
  const before = await page.evaluate(seen);
  expect(before.controls).toBeLessThanOrEqual(15);
  expect(before.words).toBeLessThanOrEqual(90);
  expect(before.small).toEqual([]);

  await learn.click();
  const pair = page.getByRole('region', { name: 'The same problem, before and now' });
  await pair.getByRole('heading', { name: /^After iteration \d+$/ }).waitFor({ timeout: 120_000 });
  await pair.getByText('wrong').first().waitFor();
  await page
    .getByRole('status')
    .getByText(/^After \d+ iterations, the team solves \d+ % of new problems\.$/)
    .waitFor();
  const slider = page.getByRole('slider', { name: 'Iteration of the answer' });
  await slider.waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: 'Pause' }).click();
  await learn.waitFor();
  await slider.fill('1');
  await pair.getByRole('heading', { name: 'After iteration 10', exact: true }).waitFor();
  await slider.fill(String(await slider.getAttribute('max')));
  await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toBe('After iteration 10');
  const during = await page.evaluate(seen);
  expect(during.controls).toBeLessThanOrEqual(15);
  expect(during.words).toBeLessThanOrEqual(90);
  expect(during.small).toEqual([]);
  expect(await faultsInBothThemes(page, '.first-minute')).toEqual([]);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expect.poll(() => isWide(page)).toBe(false);
  }
  await page.setViewportSize({ width: 1280, height: 720 });

  // The run goes on in the laboratory.
  const iteration = Number(await page.locator('html').getAttribute('data-iteration'));
  await page.getByRole('button', { name: 'Open the laboratory' }).click();
  await page.getByRole('region', { name: 'Setup' }).waitFor();
  await page.getByRole('button', { name: 'Step' }).click();
  await expect.poll(() => page.locator('html').getAttribute('data-iteration')).toBe(`${iteration + 1}`);
});

test('a link without parameters opens this view, and the laboratory for a visitor who was last there', async ({
  visit,
}) => {
  const { page, context } = await visit('/');
  await page.getByRole('button', { name: 'Let them learn' }).waitFor();
  await page.getByRole('button', { name: 'Open the laboratory' }).click();
  await page.getByRole('region', { name: 'Setup' }).waitFor();
  const { page: second } = await visit('/', { context });
  await second.getByRole('region', { name: 'Setup' }).waitFor();
  await expect.poll(() => second.getByRole('button', { name: 'Open the laboratory' }).count()).toBe(0);
});

test('the gallery shows what each agent alone knows and what is learned, and a click chooses a preset', async ({
  open,
}) => {
  const page = await open('/?backend=cpu&lang=en&view=stage');
  await page.getByRole('button', { name: 'Other problems' }).click();
  const gallery = page.getByRole('dialog', { name: 'Gallery of presets' });
  const card = gallery.locator('li', { has: page.getByRole('heading', { name: 'Map and walker' }) });
  await card.getByText(/^before training \d+ % right, after it \d+ %$/).waitFor();
  await expect.poll(() => card.textContent()).toContain('the map');
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await card.getByRole('button', { name: 'Choose Map and walker' }).click();
  await gallery.waitFor({ state: 'hidden' });
  await page.getByText('A treasure is buried').waitFor();
  await expect.poll(() => new URL(page.url()).search).toContain('preset=grid');
  expect(new URL(page.url()).searchParams.get('view')).toBe('stage');
  await page.reload();
  await page.getByText('A treasure is buried').waitFor();
  await page.getByRole('figure').first().getByText('Find the treasure').waitFor({ timeout: 60_000 });
});

test('the link is shown as a QR code, which contains exactly this link', async ({ open }) => {
  const contextOptions = { permissions: ['clipboard-read', 'clipboard-write'] };
  const page = await open('/?backend=cpu&lang=en&view=stage', { contextOptions });
  await page.getByRole('button', { name: 'Share' }).click();
  const sheet = page.getByRole('dialog', { name: 'Share' });
  const link = await sheet.getByRole('textbox', { name: 'Link' }).inputValue();
  expect(link).toContain('view=stage');
  const image = await sheet.getByRole('img', { name: 'QR code of this link' }).screenshot();
  const pixels = await page.evaluate(
    async (source) => {
      const picture = new Image();
      picture.src = source;
      await picture.decode();
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      context.drawImage(picture, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, picture.width, picture.height);
      return { data: [...data], width, height };
    },
    `data:image/png;base64,${image.toString('base64')}`,
  );
  const read = jsQR(Uint8ClampedArray.from(pixels.data), pixels.width, pixels.height);
  expect(read?.data).toBe(link);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  // Once the team is measured, a message can say where the run stands.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Let them learn' }).click();
  await page.getByText(/the team solves \d+ % of new problems/).waitFor();
  await page.getByRole('button', { name: 'Share' }).click();
  await sheet.getByRole('button', { name: 'Copy the sentence with the link' }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^\S+ stands at iteration \d+ and solves \d+ % of new problems\.\nhttp\S+$/);
});

test('slow motion shows one iteration in five steps with its own numbers, by button and by key', async ({ open }) => {
  const contextOptions = { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' } as const;
  const page = await open('/?backend=cpu&lang=en&view=stage', { contextOptions });
  await page.getByRole('button', { name: 'In slow motion' }).click();
  const steps = page.getByRole('toolbar', { name: 'The steps of an iteration' });
  await steps.waitFor({ timeout: 60_000 });
  const status = page.locator('main').getByRole('status');
  const figure = page.getByRole('figure').first();
  await expect.poll(() => status.textContent()).toContain('The agents talk.');
  await expect.poll(() => figure.textContent()).not.toMatch(/right|wrong/);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => figure.textContent()).toMatch(/right|wrong/);
  const isRight = (await figure.textContent())?.includes('right');
  await expect
    .poll(() => status.textContent())
    .toMatch(isRight ? /it is right\.$/ : /it is wrong\.$|without an answer/);
  await steps.getByRole('button', { name: 'Next step' }).click();
  await expect.poll(() => figure.textContent()).toMatch(/reward \S+/);
  const reward = /reward (\S+)/.exec((await figure.textContent()) ?? '')?.[1];
  await expect.poll(() => status.textContent()).toBe(`The dialogue earns a reward of ${reward}.`);
  await steps.getByRole('button', { name: 'Compare' }).click();
  await status.getByText(/^On average, the dialogues of this iteration earned \d\.\d+\./).waitFor();
  await page.keyboard.press('ArrowRight');
  await status.getByText(/^The update makes such a dialogue (more|less) likely\. All dialogues push/).waitFor();
  const during = await page.evaluate(seen);
  expect(during.controls).toBeLessThanOrEqual(15);
  expect(during.words).toBeLessThanOrEqual(90);
  expect(during.small).toEqual([]);
  expect(await faultsInBothThemes(page, '.first-minute')).toEqual([]);
  await steps.getByRole('button', { name: 'Once more' }).click();
  await expect.poll(() => page.locator('html').getAttribute('data-iteration')).toBe('2');
  await status.getByText('The agents talk.').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => isWide(page)).toBe(false);
});

test('a visitor asks a sum, which the untrained team answers, and speaks for the planner', async ({ open }) => {
  const page = await open('/?backend=cpu&lang=en&view=stage');
  await page.getByRole('button', { name: 'Ask them' }).click();
  const card = page.getByRole('region', { name: 'Ask them' });
  await card.locator('.verdict').waitFor({ timeout: 60_000 }); // before training, there is only one answer
  await card.getByLabel('Sum').fill('2+4*3');
  await card.getByRole('button', { name: 'Ask', exact: true }).click();
  const speak = card.getByRole('textbox', { name: 'Speak for the planner:' });
  const sayIt = card.getByRole('button', { name: 'Say' });
  await expect.poll(() => sayIt.isEnabled()).toBe(true); // the answer has arrived
  await speak.fill('2+4');
  await sayIt.click();
  const mine = card.locator('section', { has: page.getByRole('heading', { name: 'With your message' }) });
  await mine.waitFor();
  await expect.poll(() => mine.locator('code').first().textContent()).toBe('2 + 4');
  await card.getByRole('heading', { name: 'Before training' }).waitFor();
  await card.getByLabel('Sum').fill('two and three');
  await card.getByRole('button', { name: 'Ask', exact: true }).click();
  await card.getByRole('alert').getByText('expected').waitFor();
  await page.getByRole('button', { name: 'Back to the problem' }).click();
  await page.getByRole('region', { name: 'The same problem, before and now' }).waitFor();
  await page.getByRole('button', { name: 'Be the planner' }).click();
  const planner = page.getByRole('region', { name: 'Be the planner' });
  const field = planner.getByRole('textbox', { name: 'Speak for the planner:' });
  await expect.poll(() => field.evaluate((input) => input === document.activeElement), { timeout: 60_000 }).toBe(true);
});

/** The sum of all layout shifts so far that the visitor did not cause. */
const shifted = () =>
  new Promise<number>((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 200);
  });

test.for([1280, 390])(
  'nothing moves while the page of %s pixels loads and while a run begins',
  async (width, { open }) => {
    const page = await open('/?backend=cpu&lang=en&view=stage', {
      contextOptions: { viewport: { width, height: 800 } },
    });
    await page.getByRole('figure').first().waitFor();
    const loading = await page.evaluate(shifted);
    expect(loading).toBeLessThanOrEqual(0.05);
    await page.getByRole('button', { name: 'Let them learn' }).click();
    await page
      .getByRole('status')
      .getByText(/^After \d+ iterations, the team solves/)
      .waitFor({ timeout: 120_000 });
    await page.getByRole('heading', { name: /^After iteration \d+$/ }).waitFor({ timeout: 120_000 });
    expect((await page.evaluate(shifted)) - loading).toBeLessThanOrEqual(0.05);
  },
);
