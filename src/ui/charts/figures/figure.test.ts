import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { DataCell, FigureLine } from './drawing.ts';
import { figureJson, figureKeyword, figureSvg, type Figure } from './figure.ts';
import { keyOf, pageDrawn, roundTicks, rowDrawn } from './figureFrame.ts';
import { pngWithText } from './pngText.ts';
import { svgText } from './svgText.ts';

const write = (x: number) => String(x);
const line: FigureLine = { kind: 'line', label: '', x: 'iteration', y: 'right', colour: 'ink' };
const plain: Figure = {
  ...{ title: 'Right', summary: 'Right: 0 at first, 1 at 2.', height: 100, marks: [line], runs: [] },
  x: { label: 'iteration', range: [0, 2], write },
  y: { label: 'share', range: [0, 1], write },
  table: {
    columns: ['iteration', 'right', 'low', 'high'],
    rows: [
      [0, 0, 0, 0.5],
      [1, null, null, null],
      [2, 1, 0.5, 1],
    ],
  },
};
const svgOf = (figure: Partial<Figure>) => figureSvg({ ...plain, ...figure }, (name) => `the-${name}`);

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#13;': '\r' };
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|#13);/g, (entity) => entities[entity] ?? '');

/**
 * The contents of elements by name. Throws an error if the text is not well-formed XML. The parser supports only the
 * parts of XML that figures use.
 */
function readXml(file: string): Map<string, string[]> {
  expect(file).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
  const parts =
    /<\?xml[^?]*\?>|<\/(?<end>\w+)>|<(?<start>\w+)(?: [\w-]+="[^<&"]*")*(?<alone>\/)?>|(?<text>(?:[^<>&]|&(?:amp|lt|gt|#13);)+)/uy;
  const open: { name: string; text: string }[] = [];
  const found = new Map<string, string[]>();
  for (parts.lastIndex = 0; parts.lastIndex < file.length;) {
    const from = parts.lastIndex;
    const groups = parts.exec(file)?.groups;
    if (parts.lastIndex === 0) throw new Error(`not XML: ${file.slice(from, from + 60)}`);
    if (groups?.['start'] && !groups['alone']) open.push({ name: groups['start'], text: '' });
    if (groups?.['text'] && open.length > 0) (open.at(-1) as { text: string }).text += unescaped(groups['text']);
    if (!groups?.['end']) continue;
    const { name, text } = open.pop() ?? { name: 'nothing', text: '' };
    if (name !== groups['end']) throw new Error(`not XML: ${groups['end']} ends ${name}`);
    found.set(name, [...(found.get(name) ?? []), text]);
  }
  expect(open).toEqual([]);
  return found;
}

/** A PNG of one grey pixel, built according to the specification: signature, IHDR, IDAT, IEND. */
const pixel = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a4944415478da6368000000820081da45083b0000000049454e44ae426082',
  'hex',
);

function chunksOf(png: Uint8Array) {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks: { type: string; content: Uint8Array }[] = [];
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    const length = view.getUint32(at);
    const checked = png.subarray(at + 4, at + 8 + length);
    expect(view.getUint32(at + 8 + length)).toBe(crc32(checked));
    chunks.push({ type: String.fromCharCode(...checked.subarray(0, 4)), content: checked.subarray(4) });
  }
  return chunks;
}

const words = fc.string({ unit: 'binary', maxLength: 12 });
const cell = fc.oneof(
  fc.double().map((x) => x + 0),
  fc.constant(null),
);
const figures = fc
  .record({
    title: words,
    summary: words,
    label: words,
    unit: words,
    formula: words,
    column: words,
    name: words,
    runFile: words,
    rows: fc.array(fc.tuple(cell, cell), { maxLength: 20 }),
  })
  .map(({ title, summary, label, unit, formula, column, name, runFile, rows }): Figure => {
    const columns = ['iteration', `${column}.`];
    return {
      ...{ ...plain, title, summary, formula, source: label, under: name, runs: [{ name, runFile }] },
      marks: [{ ...line, label, y: columns[1] as string }],
      levels: [{ label, value: 0.5 }],
      events: [{ at: 1, words: summary }],
      y: { ...plain.y, label, unit },
      table: { columns, rows },
    };
  });
const asJson = (cells: readonly DataCell[]) =>
  cells.map((x) => (typeof x === 'number' && !Number.isFinite(x) ? null : x));

describe('the file of a figure', () => {
  it('contains the given rows and words, both as SVG and as PNG, whatever they are', () => {
    const property = fc.property(figures, (figure) => {
      const found = readXml(figureSvg(figure, () => 'black'));
      const json = found.get('metadata')?.[0] ?? '';
      const { title, summary, formula, table, runs, levels, events } = figure;
      expect(JSON.parse(json)).toEqual({
        ...{ format: 'cothink-figure 1', title, summary, formula, source: figure.source, levels, events, runs },
        ...{ x: { label: 'iteration' }, y: { label: figure.y.label, unit: figure.y.unit } },
        ...{ columns: table.columns, rows: table.rows.map(asJson) },
      });
      const chunks = chunksOf(pngWithText(pixel, figureKeyword, figureJson(figure)));
      expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'iTXt', 'IDAT', 'IEND']);
      const text = new TextDecoder().decode(chunks[1]?.content);
      expect(text).toBe(`Cothink figure\0\0\0\0\0${json}`);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('draws points at hand-worked places, bridges a gap, and draws an interval as a band', () => {
    // The plot extends horizontally from 18 + 24 + 8 = 50 to 640 − 28 = 612 pixels, and vertically from 34 + 32 = 66 to
    // 166.
    expect(svgOf({})).toContain('<path d="M50 166L612 66" stroke="the-ink" stroke-width="2"/>');
    const band = svgOf({ marks: [{ ...line, low: 'low', high: 'high' }] });
    expect(band).toContain('<path d="M50 116L612 66L612 116L50 166Z" fill="the-ink" fill-opacity="0.13"/>');
    const bars = svgOf({ marks: [{ ...line, low: 'low', high: 'high', ends: 'bars', hasPoints: true }] });
    expect(bars).toContain('<path d="M612 116V66" stroke="the-ink"');
    expect(bars.match(/<circle cx="612" cy="66" r="2.6"/g)).toHaveLength(1);
    const doubled = svgOf({ x: { ...plain.x, range: [1, 4], isDoubling: true, ticks: [1, 2, 4] } });
    expect(doubled).toContain('<text x="331" y="183" fill="the-mute" font-size="11.5" text-anchor="middle">2</text>');
  });

  it('draws only finite numbers, and contains null for the others', () => {
    const table = {
      columns: ['iteration', 'right'],
      rows: [
        [0, Number.NaN],
        [1, Infinity],
        [2, 0.5],
      ],
    };
    const svg = svgOf({ table, marks: [{ ...line, hasPoints: true }] });
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(svg.match(/<circle[^>]*>/g)).toEqual(['<circle cx="612" cy="116" r="2.6" fill="the-ink"/>']);
    expect(svg).toContain('"rows": [\n  [0,null],\n  [1,null],\n  [2,0.5]\n]');
  });

  it('places the words of a column on the axes, and shades the cells of a matrix', () => {
    const names = ['a', 'b'];
    const svg = svgOf({
      x: { ...plain.x, range: [-0.5, 1.5], names },
      y: { ...plain.y, range: [1.5, -0.5], names },
      marks: [{ kind: 'cells', x: 'hears', y: 'says', value: 'right', colour: 'meta', write: (x) => `${100 * x} %` }],
      table: {
        columns: ['says', 'hears', 'right'],
        rows: [
          ['a', 'b', 0.25],
          ['b', 'a', null],
          ['c', 'a', 1],
        ],
      },
    });
    // The size of the cell is half of the width of the plot (281 pixels) and half of its height (50 pixels), minus
    // three pixels of space between cells.
    expect(svg).toContain('<rect x="332.5" y="67.5" width="278" height="47" fill="the-meta" fill-opacity="0.14"/>');
    expect(svg.match(/ %<\/text>/g)).toHaveLength(1);
  });

  it('names all curves in a legend, except a single curve under its own title', () => {
    const named = { ...line, label: 'team' };
    const keyOf = (figure: Partial<Figure>) => readXml(svgOf(figure)).get('text') ?? [];
    expect(keyOf({ marks: [named] })).not.toContain('team');
    expect(keyOf({ marks: [named, { ...line, label: 'alone' }] })).toEqual(expect.arrayContaining(['team', 'alone']));
    expect(keyOf({ marks: [named], levels: [{ label: 'best', value: 0.4 }] })).toContain('best');
  });

  it('draws the range of a level, the look of each dot, and bars with their numbers below the plot', () => {
    const level = svgOf({ levels: [{ label: 'best', value: 0.5, low: 0.25, high: 0.75 }] });
    // The legend moves the plot down by 18 pixels, so the plot extends vertically from 84 to 184.
    expect(level).toContain('<rect x="50" y="109" width="562" height="50" fill="the-mute" fill-opacity="0.13"/>');
    const dots = [{ colour: 'good' }, { colour: 'mute' }, { colour: 'bad', isSquare: true }];
    const dotted = svgOf({ marks: [{ ...line, isLoose: true, dots }] });
    expect(dotted).toContain('<circle cx="50" cy="166" r="4" fill="the-good"/>');
    expect(dotted).toContain('<rect x="608" y="62" width="8" height="8" fill="the-bad"/>');
    const table = {
      columns: ['from', 'to', 'answers'],
      rows: [
        [0, 1, 3],
        [1, 2, 6],
      ],
    };
    const counted = svgOf({ marks: [], table, counts: { from: 'from', to: 'to', number: 'answers' } });
    // There are 46 pixels below the plot. The bar of the largest number is 22 pixels high, and the bar of half this
    // number is 11 pixels high.
    expect(counted).toContain('<rect x="51.5" y="201" width="278" height="11" fill="the-mute" fill-opacity="0.4"/>');
    expect(counted).toContain('<rect x="332.5" y="190" width="278" height="22" fill="the-mute" fill-opacity="0.4"/>');
    expect(readXml(counted).get('text')).toEqual(expect.arrayContaining(['3', '6']));
  });

  it('refuses a mark of a missing column', () => {
    expect(() => svgOf({ marks: [{ ...line, y: 'wrong' }] })).toThrow(
      'there is no column wrong among iteration, right',
    );
  });
});

describe('the same figure on the page', () => {
  const place = { width: 300, height: 126, hasAxis: true, hasNames: false, clip: 'one' };
  const drawnOn = (where: Partial<typeof place>, figure: Partial<Figure> = {}) => {
    const shown = { ...plain, ...figure };
    return pageDrawn(shown, shown.table, { ...place, ...where })
      .elements.map(svgText)
      .join('\n');
  };

  it('has the same curve, grid and numbers in its own size, and the colours of the theme', () => {
    // The plot extends horizontally from 46 to 300 − 24 = 276 pixels, and vertically from 7 to 126 − 22 = 104.
    const svg = drawnOn({});
    expect(svg).toContain('<path d="M46 104L276 7" stroke="var(--ink)" stroke-width="2"/>');
    expect(svg).toContain('clip-path="url(#one)"');
    const numbersOf = (text: string) => [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, words]) => words);
    expect(numbersOf(svg)).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1', '0', '0.5', '1', '1.5', '2']);
    expect(numbersOf(svgOf({}))).toEqual(expect.arrayContaining(numbersOf(svg)));
    expect(numbersOf(drawnOn({ hasAxis: false, height: 40 }))).toEqual(['0', '1']);
    expect(numbersOf(drawnOn({ hasNames: true })).slice(0, 2)).toEqual(['share', 'iteration']);
  });

  it('has the same legend', () => {
    const marks = [{ ...line, label: 'team' }];
    const figure = { ...plain, marks, levels: [{ label: 'best', value: 0.4 }], diagonal: 'equal' };
    expect(keyOf(figure).map(({ label }) => label)).toEqual(['team', 'best', 'equal']);
    expect(keyOf({ ...plain, marks })).toEqual([]);
  });

  it('gives each row of a table its own marks over the same axis', () => {
    const y = { ...plain.y, names: ['a', 'b'], range: [1.5, 0.5] as const };
    const x = { ...plain.x, range: [-1, 1] as const };
    const table = {
      columns: ['worth', 'message'],
      rows: [
        [0.5, 'a'],
        [-0.5, 'b'],
      ],
    };
    const marks = [{ ...line, x: 'worth', y: 'message', isLoose: true as const }];
    const svg = rowDrawn({ ...plain, x, y, marks }, table, { ...place, width: 100, height: 16 });
    const drawn = svg.elements.map(svgText).join('\n');
    // The dot of the first message is outside the visible area, and the dot of the second message is in the middle of
    // its row. The line at 0 is between them.
    expect(drawn.match(/<circle[^>]*>/g)).toEqual([
      '<circle cx="75" cy="-8" r="4" fill="var(--ink)"/>',
      '<circle cx="25" cy="8" r="4" fill="var(--ink)"/>',
    ]);
    expect(drawn).toContain('<path d="M50 0V16"');
  });
});

it.each([
  [[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [[0.3, 1], 5, [0.4, 0.6, 0.8, 1]],
  [[0, 100], 7, [0, 20, 40, 60, 80, 100]],
  [[-0.021, 0.013], 5, [-0.02, -0.01, 0, 0.01]],
  [[1, 0], 2, [0, 0.5, 1]],
  [[2, 2], 5, [2]],
] as const)('round numbers of %j, about %i of them, are %j', (range, wanted, ticks) => {
  expect(roundTicks(range, wanted)).toEqual(ticks);
});

it('round numbers are whole if the smallest step is 1', () => {
  expect(roundTicks([0, 2], 7, 1)).toEqual([0, 1, 2]);
});
