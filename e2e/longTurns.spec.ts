// Messages of 200 tokens from a language model are shown as running text. They can be unfolded by keyboard, the search
// also finds text that spans several tokens, and words that a change of a message alters are marked.
import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { sampleFiles, sampleShape, talkativeWeights } from '../src/formats/llama/testing/sample.ts';
import type { GroupInspection } from '../src/records/inspection.ts';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { faultsInBothThemes, isWide, modelsOf, spilling } from './visitor.ts';

const link = [
  '/?preset=passItOn&backend=cpu&seed=3&agents.metaWindow=200&agents.reasonWindow=200&agents.roundLimit=2',
  'learning.problemsPerIteration=1&learning.groupSize=2&evaluation.problems=8&run.iterations=3&run.checkpointEvery=1',
  'optimiser.learningRate=0.01',
].join('&');

const small = { ...sampleShape(), maxPositions: 2048 };
/**
 * A model that takes most of a second for a long message on a fast machine too. The page shows new text five times a
 * second, so it shows the message several times while it is sampled.
 */
const slow = { ...small, hiddenSize: 128, intermediateSize: 256, numLayers: 6, headSize: 32 };
/** Messages of more than the ten lines that are shown while a message grows. */
const oneRound = link.replace('roundLimit=2', 'roundLimit=1').replaceAll('Window=200', 'Window=256');

async function bringSample(page: Page, shape = small): Promise<void> {
  const files = sampleFiles({ shape, weights: talkativeWeights(shape) });
  const entries = await Promise.all(files.map(async (file) => [`tiny/${file.name}`, await file.bytes()] as const));
  const dialog = await modelsOf(page);
  await dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)').setInputFiles({
    ...{ name: 'theirs.zip', mimeType: 'application/zip' },
    buffer: Buffer.from(zipSync(Object.fromEntries(entries))),
  });
  await dialog.getByRole('button', { name: 'Continue training with adapters' }).click();
  await dialog.getByRole('button', { name: 'Runs need it' }).waitFor();
  await page.keyboard.press('Escape');
  await untilState(page, ['idle']);
}

const turnsOf = (page: Page) => page.getByRole('list', { name: /^Dialogue/ }).getByRole('listitem');
const textsOf = (page: Page) =>
  turnsOf(page).evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('.token')].map((token) => token.textContent).join('')),
  );
const heightOf = async (page: Page, turn: number) =>
  (await turnsOf(page).nth(turn).locator('.turn').boundingBox())?.height;

test('long messages are shown as running text, can be folded, and can be searched', async ({ open }) => {
  const page = await open(link);
  await bringSample(page);
  await step(page, 1);
  await untilState(page, ['paused']);

  // The lines above the dialogue are long for this model, and need their own room.
  expect(await spilling(page)).toEqual([]);

  // The text on the page is the stored message.
  const [stored] = await readStore<{ group: GroupInspection }>(page, 'shown');
  const said = stored?.group.rollouts.map(({ trajectory }) => trajectory.turns) ?? [];
  const shown = await textsOf(page);
  const own = said.find((turns) => turns[0]?.text === shown[0]?.replace(/⏎$/, '')) ?? [];
  expect(shown.map((text) => text.replace(/⏎$/, ''))).toEqual(own.map(({ text }) => text));

  // A long message is folded, and the keyboard unfolds it.
  const folded = page.getByRole('button', { name: /^Show all \d+ tokens$/ });
  await expect.poll(() => folded.count()).toBeGreaterThan(0);
  const at = own.findIndex(({ tokens }) => tokens.length > 150);
  const toggle = turnsOf(page).nth(at).getByRole('button', { expanded: false });
  await expect.poll(() => toggle.textContent()).toBe(`Show all ${own[at]?.tokens.length} tokens`);
  const before = await heightOf(page, at);
  await toggle.focus();
  await page.keyboard.press('Enter');
  await turnsOf(page).nth(at).getByRole('button', { name: 'Fold', expanded: true }).waitFor();
  expect(await heightOf(page, at)).toBeGreaterThan((before ?? 0) + 24);
  await page.keyboard.press('Enter');
  await expect.poll(() => heightOf(page, at)).toBe(before);

  // The search finds a text that begins in one token and ends in another, scrolls to it and unfolds its message.
  const tokens = await turnsOf(page).nth(at).locator('.token').allTextContents();
  const query = tokens.slice(-12, -4).join('').replaceAll(/\s/g, ' ');
  await page.keyboard.press('/');
  await page.keyboard.insertText(query);
  const search = page.getByRole('search');
  await expect.poll(() => search.getByRole('status').textContent()).toMatch(/^\d+ found$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => search.getByRole('status').textContent()).toMatch(/^1 of \d+$/);
  await turnsOf(page).nth(at).getByRole('button', { name: 'Fold' }).waitFor();
  const current = turnsOf(page).nth(at).locator('mark.isCurrent');
  expect((await current.allTextContents()).join('').replaceAll(/\s/g, ' ').toLowerCase()).toBe(query.toLowerCase());
  const isSeen = () =>
    current.last().evaluate((mark) => {
      const [own, panel] = [mark.getBoundingClientRect(), mark.closest('.panel')?.getBoundingClientRect()];
      return panel !== undefined && own.top >= panel.top && own.bottom <= panel.bottom;
    });
  expect(await isSeen()).toBe(true);
  expect(await faultsInBothThemes(page, '.stage')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.stage mark').count()).toBe(0);

  // The keys of the page choose a turn, which comes into view.
  await page.keyboard.press('Escape');
  await page.mouse.move(0, 0);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await turnsOf(page)
    .nth(1)
    .getByRole('button', { name: /^Turn 2, /, pressed: true })
    .waitFor();
  const isInView = () =>
    turnsOf(page)
      .nth(1)
      .locator('.number')
      .evaluate((number) => {
        const [its, panel] = [number.getBoundingClientRect(), number.closest('.panel')?.getBoundingClientRect()];
        return panel !== undefined && its.top >= panel.top && its.bottom <= panel.bottom;
      });
  await expect.poll(isInView).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => isWide(page)).toBe(false);
});

test('nothing below a dialogue moves while a long message grows, and the end of the message stays in view', async ({
  open,
}) => {
  const page = await open(oneRound);
  await bringSample(page, slow);
  await page.evaluate(() => {
    const seen = { foot: new Set<number>(), lines: 0, isEndSeen: true };
    Object.assign(window, { seen });
    const look = () => {
      const card = [...document.querySelectorAll('.stage .turn')].at(-1);
      if (card?.querySelector('.caret')) {
        const place = document.querySelector('.stage [data-place="tokens"]');
        const panel = card.closest('.panel');
        const lanes = document.querySelector('.stage .lanes');
        if (place && lanes)
          seen.foot.add(Math.round(place.getBoundingClientRect().top - lanes.getBoundingClientRect().top));
        const [text, caret] = [card.querySelector('.text'), card.querySelector('.caret')];
        seen.lines = Math.max(seen.lines, (text?.clientHeight ?? 0) / 24);
        const end = caret?.getBoundingClientRect().bottom ?? 0;
        if (text && end > text.getBoundingClientRect().bottom + 1) seen.isEndSeen = false;
        if (panel && end > panel.getBoundingClientRect().bottom) seen.isEndSeen = false;
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await step(page, 1);
  const seen = await page.evaluate(() => {
    const { foot, ...rest } = (window as unknown as { seen: { foot: Set<number>; lines: number; isEndSeen: boolean } })
      .seen;
    return { ...rest, foot: [...foot] };
  });
  expect(seen.lines).toBe(10);
  expect(seen.isEndSeen).toBe(true);
  expect(Math.max(...seen.foot) - Math.min(...seen.foot)).toBeLessThan(2);
});

test('words that differ after a message was changed are marked in the next messages', async ({ open }) => {
  const page = await open(link);
  await bringSample(page);
  await step(page, 1);
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  const field = dialog.getByLabel('Text of turn 1');
  const text = await field.inputValue();
  await field.fill(`Listen: ${text.replace(/\S+$/, 'hatted')}`);
  await dialog.getByRole('button', { name: 'Say', exact: true }).click();
  const [left, right] = [dialog.getByLabel(/^left/), dialog.getByLabel(/^right/)];
  await expect.poll(() => right.locator('li').first().locator('ins').allTextContents()).toContain('Listen:');
  expect((await right.locator('li').first().locator('ins').allTextContents()).at(-1)).toMatch(/ hatted$/);
  await expect.poll(() => left.locator('ins').count()).toBe(0);
  // The texts without their marked words are the same.
  const kept = (side: typeof left) =>
    side.locator('li .text').evaluateAll((texts) =>
      texts.map((one) =>
        [...one.childNodes]
          .filter(({ nodeName }) => nodeName !== 'DEL' && nodeName !== 'INS')
          .map((node) => node.textContent?.trim() ?? '')
          .join(' ')
          .split(/\s+/),
      ),
    );
  expect(await kept(left)).toEqual(await kept(right));
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
});
