// Draws rows as lines, intervals, dots or a matrix over two axes, with a title and a legend. Marks name the columns
// that they draw. The drawing itself has no data, no theme and no font.
import type { DataCell, ChartDrawing, FigureAxis, FigureTable, Paint } from './drawing.ts';
import { diagonalDash, levelDash, marksDrawn } from './figureMarks.ts';
import { at, dashed, escaped, squeezed, widthOf } from './svgText.ts';

const [width, edge, size] = [640, 18, 11.5];
/** Distances in pixels: under the title, between the head and the plot, and below the plot. */
const [line, gap, foot] = [18, 32, 50];

/**
 * The SVG elements, and the size of the whole picture in pixels. Throws ShapeError if a mark names a column that does
 * not exist.
 */
export function drawn(drawing: ChartDrawing, table: FigureTable, paint: Paint) {
  const { title, under, x, y } = drawing;
  const mute = `fill="${paint('mute')}" font-size="${size}"`;
  const room = width - 2 * edge;
  const key = keyDrawn(drawing, under ? 52 : 34, paint);
  const top = key.bottom + gap;
  const yTicks = ticksOf(y, 5);
  const widest = Math.max(24, ...yTicks.map((tick) => widthOf(wordAt(y, tick), size)));
  const box = { left: edge + Math.min(widest, 230) + 8, right: width - edge - 10, top, bottom: top + drawing.height };
  const place = { x: along(x, box.left, box.right), y: along(y, box.bottom, box.top) };
  const body = [
    `<rect width="100%" height="100%" fill="${paint('panel')}"/>`,
    written(title, [edge, 28], `fill="${paint('ink')}" font-size="15" font-weight="600"${squeezed(title, 15, room)}`),
    ...(under ? [written(under, [edge, 46], `${mute}${squeezed(under, size, room)}`)] : []),
    ...key.body,
    written(named(y), [edge, key.bottom + 20], mute),
    written(named(x), [(box.left + box.right) / 2, box.bottom + 36], `${mute} text-anchor="middle"`),
  ];
  const hasGrid = drawing.marks.some(({ kind }) => kind === 'line');
  const grid = (path: string) => body.push(`<path d="${path}" stroke="${paint('line')}"/>`);
  for (const tick of yTicks) {
    const down = place.y(tick) as number;
    const word = wordAt(y, tick);
    if (hasGrid && !y.names) grid(`M${at(box.left)} ${at(down)}H${at(box.right)}`);
    const fit = squeezed(word, size, box.left - 8 - edge);
    body.push(written(word, [box.left - 8, down + 4], `${mute} text-anchor="end"${fit}`));
  }
  const xTicks = ticksOf(x, 7);
  const step = (box.right - box.left) / Math.max(1, xTicks.length);
  for (const tick of xTicks) {
    const [over, word] = [place.x(tick) as number, wordAt(x, tick)];
    if (hasGrid && y.names) grid(`M${at(over)} ${at(box.top)}V${at(box.bottom)}`);
    const fit = x.names ? squeezed(word, size, step - 6) : '';
    body.push(written(word, [over, box.bottom + 17], `${mute} text-anchor="middle"${fit}`));
  }
  body.push(
    `<path d="M${at(box.left)} ${at(box.bottom)}H${at(box.right)}" stroke="${paint('strong-line')}"/>`,
    ...marksDrawn(drawing, table, { box, place, paint }),
  );
  return { width, height: Math.ceil(box.bottom + foot), body };
}

const written = (words: string, [left, baseline]: readonly [number, number], look: string) =>
  `<text x="${at(left)}" y="${at(baseline)}" ${look}>${escaped(words)}</text>`;

const named = ({ label, unit }: FigureAxis) => (unit === undefined ? label : `${label} (${unit})`);

/** The legend; empty for a single curve under its own title. */
function keyDrawn({ marks, levels = [], diagonal }: ChartDrawing, top: number, paint: Paint) {
  const lines = marks.flatMap((mark) => (mark.kind === 'line' && mark.label !== '' ? [mark] : []));
  const across = [
    ...levels.map(({ label }) => ({ label, dash: levelDash })),
    ...(diagonal === undefined ? [] : [{ label: diagonal, dash: diagonalDash }]),
  ].map((one) => ({ ...one, colour: 'mute', width: 1 }));
  const all = [...lines, ...across];
  const shown = lines.length > 1 || across.length > 0 ? all : [];
  const most = width - 2 * edge - 29;
  let [left, baseline] = [edge, top];
  const body = shown.flatMap(({ label, colour, width: stroke = 2, dash }, i) => {
    const wide = 29 + Math.min(widthOf(label, size), most);
    if (i === 0 || left + wide > width - edge) [left, baseline] = [edge, baseline + line];
    const from = left;
    left += wide + 16;
    return [
      `<path d="M${at(from)} ${at(baseline - 4)}h22" stroke="${paint(colour)}" stroke-width="${stroke}"${dashed(dash)}/>`,
      written(label, [from + 29, baseline], `fill="${paint('ink')}" font-size="${size}"${squeezed(label, size, most)}`),
    ];
  });
  return { body, bottom: baseline };
}

/** Round numbers between the ends, spaced by 1, 2 or 5 times a power of ten, at most about `wanted` of them. */
export function roundTicks([a, b]: readonly [number, number], wanted: number, smallest = 0): number[] {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const least = Math.max(smallest, (high - low) / wanted);
  if (!(least > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((times) => times * power >= least * 0.999) as number) * power;
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  // Rounded to twelve digits, so that 3 × 0.1 is 0.3.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const ticksOf = (axis: FigureAxis, wanted: number): readonly number[] =>
  axis.ticks ?? axis.names?.map((_, i) => i) ?? roundTicks(axis.range, wanted, axis.isWhole ? 1 : 0);
const wordAt = ({ names, write }: FigureAxis, tick: number) => names?.[tick] ?? write(tick);

/** The position of a cell between two sides; null if the cell contains no number. */
function along({ range, names, isDoubling }: FigureAxis, from: number, to: number) {
  const measure = isDoubling ? Math.log2 : (x: number) => x;
  const [first, last] = [measure(range[0]), measure(range[1])];
  return (cell: DataCell | undefined): number | null => {
    const found = typeof cell === 'string' ? names?.indexOf(cell) : cell;
    if (typeof found !== 'number' || !Number.isFinite(found) || (found < 0 && names)) return null;
    return from + ((measure(found) - first) / (last - first || 1)) * (to - from);
  };
}
