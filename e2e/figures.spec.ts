// A saved chart equals the chart on the page: SVG and PNG contain the numbers that the page exports for the same run,
// and the run file that reproduces it. The SVG opens without the page; the PNG is the same picture at twice the size.
import { crc32 } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { readRunFile } from '../src/formats/runFile.ts';
import type { Evaluation } from '../src/records/metrics.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { readStore } from './database.ts';
import { download, faultsInBothThemes, figureTold, saveFigure, type FigureTold } from './visitor.ts';

const micro =
  '/?preset=micro&backend=cpu&iterations=4&learning.problemsPerIteration=4&evaluation.problems=16&evaluation.every=2&autostart=1';

/** Opens the SVG file in a tab of its own and returns what the browser has read from it. */
async function readSvg(page: Page, text: string) {
  const viewer = await page.context().newPage();
  await viewer.goto(`data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`);
  const read = await viewer.evaluate(() => {
    const root = document.documentElement;
    const all = [...document.querySelectorAll('*')];
    const attributes = all.flatMap((element) => [...element.attributes].map(({ name, value }) => `${name}=${value}`));
    return {
      fault: document.querySelector('parsererror')?.textContent ?? '',
      size: ['width', 'height', 'viewBox'].map((name) => root.getAttribute(name)),
      elements: [...new Set(all.map(({ localName }) => localName))].sort(),
      /** Attributes that refer to something outside the file; there must be none. */
      outward: attributes.filter((one) => /href|src|style=|var\(|currentcolor|url\((?!#plot)/.test(one)),
      fonts: attributes.filter((one) => one.startsWith('font-family')),
      texts: [...document.querySelectorAll('text')].map(({ textContent }) => textContent),
      json: document.querySelector('metadata')?.textContent ?? '',
    };
  });
  await viewer.close();
  return { ...read, told: JSON.parse(read.json) as FigureTold };
}

/** Returns the chunks of a PNG file. The checksum of each chunk is checked with the one that Node computes. */
function chunksOf(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: { type: string; content: Uint8Array }[] = [];
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at)) {
    const length = view.getUint32(at);
    expect(view.getUint32(at + 8 + length)).toBe(crc32(bytes.subarray(at + 4, at + 8 + length)));
    chunks.push({
      type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
      content: bytes.slice(at + 8, at + 8 + length),
    });
  }
  return chunks;
}

/** Decodes the picture in a browser. Returns its size, its background, and the number of pixels of other colours. */
const decoded = (page: Page, bytes: Uint8Array) =>
  page.evaluate(
    async (numbers) => {
      const picture = await createImageBitmap(new Blob([new Uint8Array(numbers)], { type: 'image/png' }));
      const { width, height } = picture;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context?.drawImage(picture, 0, 0);
      const pixels = new Uint32Array(context?.getImageData(0, 0, width, height).data.buffer ?? new ArrayBuffer(4));
      return { width, height, drawn: pixels.filter((pixel) => pixel !== pixels[0]).length, paper: pixels[0] };
    },
    [...bytes],
  );

test('a saved curve contains the numbers of the CSV and the run file, and has the same colours in both themes', async ({
  visit,
}) => {
  const { page } = await visit(micro, { contextOptions: { colorScheme: 'dark' } });
  await untilState(page, ['done']);
  // The curves are drawn four times a second, and the saved file contains the drawn state.
  await expect.poll(async () => (await figureTold(page, 'Entropy')).rows.length).toBe(4);
  await expect.poll(async () => (await figureTold(page, 'Right answers')).rows.length).toBe(3);
  const saved = await saveFigure(page, 'Entropy', 'SVG');
  const svg = await readSvg(page, saved.text);
  expect(svg.fault).toBe('');
  expect(svg.elements).toEqual(['clipPath', 'desc', 'g', 'metadata', 'path', 'rect', 'svg', 'text', 'title']);
  expect([svg.outward, svg.fonts]).toEqual([[], ['font-family=sans-serif']]);
  const [width, height] = svg.size.map(Number) as [number, number];
  expect(svg.size[2]).toBe(`0 0 ${width} ${height}`);
  expect(svg.texts).toEqual(
    expect.arrayContaining(['Entropy', 'Entropy (nat/token)', 'planner', 'reasoner', 'iteration']),
  );
  const { told } = svg;
  expect([told.title, told.y.unit, told.source]).toEqual(['Entropy', 'nat/token', 'CleanRL']);
  expect(told.formula).toContain('−Σ p log p');

  // The PNG shows the same picture and contains the same metadata.
  await page.emulateMedia({ colorScheme: 'light' });
  expect((await saveFigure(page, 'Entropy', 'SVG')).text).toBe(saved.text);
  const png = (await saveFigure(page, 'Entropy', 'PNG')).bytes;
  const [header, note] = chunksOf(png);
  expect([header?.type, note?.type]).toEqual(['IHDR', 'iTXt']);
  const [keyword, ...rest] = new TextDecoder().decode(note?.content).split('\0');
  expect([keyword, rest.at(-1)]).toEqual(['Cothink figure', svg.json]);
  const picture = await decoded(page, png);
  expect([picture.width, picture.height, picture.paper]).toEqual([2 * width, 2 * height, 0xffffffff]);
  expect(picture.drawn).toBeGreaterThan(5000);

  // The file contains the run file of this run.
  const [run] = await readStore<RunRecord>(page, 'runs');
  expect(saved.name).toBe(`${run?.name}-Entropy.svg`);
  expect(told.runs.map(({ name }) => name)).toEqual([run?.name]);
  expect(told.runs[0]?.runFile).toBe((await download(page, 'Run file')).text);
  expect(readRunFile(told.runs[0]?.runFile ?? '').config).toEqual(run?.config);

  // The figure contains the stored evaluations.
  const right = await figureTold(page, 'Right answers');
  const evaluations = await readStore<Evaluation>(page, 'evaluations');
  expect(right.columns.slice(0, 4)).toEqual([
    'iteration',
    'evaluation/accuracy',
    'evaluation/accuracy low',
    'evaluation/accuracy high',
  ]);
  expect(right.rows.map((row) => row.slice(0, 4))).toEqual(
    evaluations.map(({ iteration, accuracy, low, high }) => [iteration, accuracy, low, high]),
  );

  await page.getByRole('button', { name: 'Save figure: Right answers' }).press('Enter');
  expect(await faultsInBothThemes(page, '[data-place="accuracy"]')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Where the time goes' }).first().click();
  const csv = (await download(page, 'Numbers as CSV')).text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const [names = [], ...lines] = csv;
  expect(told.columns).toEqual(['iteration', 'losses/entropy/metaThinking', 'losses/entropy/reasoning']);
  expect(told.rows).toHaveLength(4);
  expect(told.rows).toEqual(lines.map((cells) => told.columns.map((name) => Number(cells[names.indexOf(name)]))));
});
