// Draws rows as lines, intervals, dots or a matrix over two axes. Marks refer to the columns that they draw. The plot
// is the same in a file and on the page. In a file, a title, a legend and the names of the axes are added, which the
// page shows around the plot. The functions in this file get the data, the colours of the theme and the font as
// arguments.
import type { DataCell, ChartDrawing, FigureAxis, FigureTable, Paint, SvgElement } from './drawing.ts';
import { column, diagonalDash, levelDash, marksDrawn, type Plot } from './figureMarks.ts';
import { at, dashed, shape, squeezed, widthOf, written } from './svgText.ts';

const [width, edge, size] = [640, 18, 11.5];
/** Distances in pixels: under the title, between the title and the plot, and below the plot. */
const [line, gap, foot] = [18, 32, 50];
/** The height of the area of bars and their numbers below a plot, and the height of the largest bar. */
const [strip, highest] = [46, 22];

/**
 * The SVG elements of a file, and the size of the whole picture in pixels. Throws ShapeError if a mark refers to a
 * column that does not exist.
 */
export function fileDrawn(drawing: ChartDrawing & { under?: string }, table: FigureTable, paint: Paint) {
  const { title, under, x, y } = drawing;
  const mute = { fill: paint('mute'), 'font-size': size };
  const room = width - 2 * edge;
  const key = keyDrawn(drawing, under ? 52 : 34, paint);
  const top = key.bottom + gap;
  const left = edge + Math.min(Math.max(24, yWidth(drawing, drawing.height)), 230) + 8;
  const box = { left, right: width - edge - 10, top, bottom: top + drawing.height };
  // The id is made from the positions of the plot, so that figures with different plots can be used on one page.
  const clip = `plot-${Object.values(box).map(Math.round).join('-')}`;
  const { elements, below } = plotDrawn(drawing, table, { box, paint, edge, clip });
  const heading = { fill: paint('ink'), 'font-size': 15, 'font-weight': 600, ...squeezed(title, 15, room) };
  const body = [
    shape('rect', { width: '100%', height: '100%', fill: paint('panel') }),
    written(title, [edge, 28], heading),
    ...(under ? [written(under, [edge, 46], { ...mute, ...squeezed(under, size, room) })] : []),
    ...key.body,
    written(named(y), [edge, key.bottom + 20], mute),
    written(named(x), [(box.left + box.right) / 2, below + 36], { ...mute, 'text-anchor': 'middle' }),
    ...elements,
  ];
  return { width, height: Math.ceil(below + foot), body };
}

export interface PagePlace {
  /** The size of the picture in CSS pixels. */
  width: number;
  height: number;
  /** Whether the x axis has numbers. */
  hasAxis: boolean;
  /** Whether the axes have names. Names are needed if no text near the plot explains what the axes show. */
  hasNames: boolean;
  /** An id that no other element of the page has. */
  clip: string;
}

/** The colours of the theme, in CSS notation. */
const ofTheme: Paint = (colour) => `var(--${colour})`;

/**
 * The SVG elements that are shown on the page, and the area of the plot. Throws ShapeError if a mark refers to a column
 * that does not exist.
 */
export function pageDrawn(drawing: ChartDrawing, table: FigureTable, place: PagePlace) {
  const { x, y } = drawing;
  const mute = { fill: ofTheme('mute'), 'font-size': size };
  const [top, names] = place.hasNames ? [24, 12] : [7, 0];
  const under = (place.hasAxis ? 22 : 4) + names + (drawing.counts ? strip : 0);
  const [right, bottom] = [place.width - 24, place.height - under];
  // The plot begins at least 46 pixels from the left, so that the plots of most charts in a column are aligned.
  const left = Math.max(46, yWidth(drawing, bottom - top) + 8);
  const box = { left, right: Math.max(left + 10, right), top, bottom };
  const plot = plotDrawn(drawing, table, { ...place, box, paint: ofTheme, edge: 0 });
  if (!place.hasNames) return plot;
  const xName = written(named(x), [(left + right) / 2, place.height - 3], { ...mute, 'text-anchor': 'middle' });
  return { ...plot, elements: [written(named(y), [0, 11], mute), xName, ...plot.elements] };
}

/**
 * The SVG elements of a figure with one row, for a table cell: the marks and a line at 0. The marks use the whole width
 * and height of the cell. Throws ShapeError if a mark refers to a column that does not exist.
 */
export function rowDrawn(drawing: ChartDrawing, table: FigureTable, { width: right, height, clip }: PagePlace) {
  const box = { left: 0, right, top: 0, bottom: height };
  const plot = { box, place: placing(drawing, box) };
  const zero = `M${at(plot.place.x(0) as number)} 0V${at(height)}`;
  return {
    ...plot,
    elements: [
      shape('path', { d: zero, stroke: ofTheme('line') }),
      ...marksDrawn(drawing, table, { ...plot, paint: ofTheme }, clip),
    ],
  };
}

interface Surroundings {
  box: Plot['box'];
  paint: Paint;
  /** The x coordinate at which the labels of the y axis begin. */
  edge: number;
  clip: string;
  hasAxis?: boolean;
}

/** The axes with their grids and numbers, the marks, and the bars below the plot. */
function plotDrawn(
  drawing: ChartDrawing,
  table: FigureTable,
  { box, paint, edge: start, clip, hasAxis = true }: Surroundings,
) {
  const { x, y, counts } = drawing;
  const mute = { fill: paint('mute'), 'font-size': size };
  const place = placing(drawing, box);
  const below = box.bottom + (counts ? strip : 0);
  const hasGrid = drawing.marks.some(({ kind }) => kind === 'line');
  const elements: SvgElement[] = [];
  const rule = (d: string, colour: string) =>
    elements.push(shape('path', { d, stroke: paint(colour), 'shape-rendering': 'crispEdges' }));
  for (const tick of yTicks(y, box.bottom - box.top)) {
    const down = place.y(tick) as number;
    const word = wordAt(y, tick);
    if (hasGrid && !y.names) rule(`M${at(box.left)} ${at(down)}H${at(box.right)}`, 'line');
    const fit = squeezed(word, size, box.left - 8 - start);
    elements.push(written(word, [box.left - 8, down + 4], { ...mute, 'text-anchor': 'end', ...fit }));
  }
  const xTicks = hasAxis ? ticksOf(x, xWanted(x, box.right - box.left)) : [];
  const step = (box.right - box.left) / Math.max(1, xTicks.length);
  for (const tick of xTicks) {
    const [over, word] = [place.x(tick) as number, wordAt(x, tick)];
    if (hasGrid && y.names) rule(`M${at(over)} ${at(box.top)}V${at(box.bottom)}`, 'line');
    const fit = x.names ? squeezed(word, size, step - 6) : {};
    elements.push(written(word, [over, below + 17], { ...mute, 'text-anchor': 'middle', ...fit }));
  }
  rule(`M${at(box.left)} ${at(box.bottom)}H${at(box.right)}`, 'strong-line');
  elements.push(...marksDrawn(drawing, table, { box, place, paint }, clip));
  if (counts) elements.push(countsDrawn(counts, table, { place, below, paint }));
  return { elements, box, place, below };
}

/** The bars below the plot, each with its number above it. */
function countsDrawn(
  { from, to, number }: NonNullable<ChartDrawing['counts']>,
  table: FigureTable,
  { place, below, paint }: Pick<Plot, 'place'> & { below: number; paint: Paint },
): SvgElement {
  const columns = [from, to, number].map((name) => column(table, name));
  const bars = table.rows.map((row) => columns.map((of) => Number(of(row))) as [number, number, number]);
  const most = Math.max(1, ...bars.map(([, , count]) => count));
  const inside = bars.flatMap(([start, end, count]) => {
    const [left, right] = [(place.x(start) as number) + 1.5, (place.x(end) as number) - 1.5];
    const height = (highest * count) / most;
    const look = { fill: paint('ink'), 'font-size': 10.5, 'text-anchor': 'middle' };
    return [
      shape('rect', {
        ...{ x: at(left), y: at(below - height), width: at(right - left), height: at(height) },
        ...{ fill: paint('mute'), 'fill-opacity': 0.4 },
      }),
      ...(count > 0 ? [written(String(count), [(left + right) / 2, below - height - 3], look)] : []),
    ];
  });
  return { name: 'g', attributes: { class: 'counts' }, inside };
}

const named = ({ label, unit }: FigureAxis) => (unit === undefined ? label : `${label} (${unit})`);

/**
 * The entries of the legend: curves with a name, levels and the diagonal. If there is only a single curve, there is no
 * legend, because the title of the figure describes the curve.
 */
export function keyOf({ marks, levels = [], diagonal }: ChartDrawing) {
  const lines = marks.flatMap((mark) => (mark.kind === 'line' && mark.label !== '' ? [mark] : []));
  const across = [
    ...levels.map(({ label }) => ({ label, dash: levelDash })),
    ...(diagonal === undefined ? [] : [{ label: diagonal, dash: diagonalDash }]),
  ].map((one) => ({ ...one, colour: 'mute', width: 1 }));
  return lines.length > 1 || across.length > 0 ? [...lines, ...across] : [];
}

function keyDrawn(drawing: ChartDrawing, top: number, paint: Paint) {
  const most = width - 2 * edge - 29;
  let [left, baseline] = [edge, top];
  const body = keyOf(drawing).flatMap(({ label, colour, width: stroke = 2, dash }, i) => {
    const wide = 29 + Math.min(widthOf(label, size), most);
    if (i === 0 || left + wide > width - edge) [left, baseline] = [edge, baseline + line];
    const from = left;
    left += wide + 16;
    const sample = { d: `M${at(from)} ${at(baseline - 4)}h22`, stroke: paint(colour), 'stroke-width': stroke };
    const look = { fill: paint('ink'), 'font-size': size, ...squeezed(label, size, most) };
    return [shape('path', { ...sample, ...dashed(dash) }), written(label, [from + 29, baseline], look)];
  });
  return { body, bottom: baseline };
}

/**
 * Chooses round numbers between the two ends for the ticks of an axis. The distance between them is 1, 2 or 5 times a
 * power of ten. There are at most about `wanted` ticks.
 */
export function roundTicks([a, b]: readonly [number, number], wanted: number, smallest = 0): number[] {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const least = Math.max(smallest, (high - low) / wanted);
  if (!(least > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((times) => times * power >= least * 0.999) as number) * power;
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  // Numbers are rounded to twelve digits, because 3 × 0.1 would otherwise not be exactly 0.3.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const ticksOf = (axis: FigureAxis, wanted: number): readonly number[] =>
  axis.ticks ?? axis.names?.map((_, i) => i) ?? roundTicks(axis.range, wanted, axis.isWhole ? 1 : 0);
const yTicks = (y: FigureAxis, height: number) => ticksOf(y, Math.min(5, Math.max(1, Math.floor(height / 18))));
/** The number of labels that fit on the x axis with gaps between them; at most seven. */
const xWanted = (x: FigureAxis, room: number) =>
  Math.min(7, Math.max(1, Math.floor(room / (widthOf(wordAt(x, x.range[1]), size) + 14))));
const wordAt = ({ names, write }: FigureAxis, tick: number) => names?.[tick] ?? write(tick);
const yWidth = ({ y }: ChartDrawing, height: number) =>
  Math.max(0, ...yTicks(y, height).map((tick) => widthOf(wordAt(y, tick), size)));

const placing = ({ x, y }: ChartDrawing, { left, right, top, bottom }: Plot['box']): Plot['place'] => ({
  x: along(x, left, right),
  y: along(y, bottom, top),
});

/**
 * Returns a function that converts the value of a cell to its position between two sides of the plot. The position is
 * null if the cell contains no number.
 */
function along({ range, names, isDoubling }: FigureAxis, from: number, to: number) {
  const measure = isDoubling ? Math.log2 : (x: number) => x;
  const first = measure(range[0]);
  const scale = (to - from) / (measure(range[1]) - first || 1);
  return (cell: DataCell | undefined): number | null => {
    const found = typeof cell === 'string' ? names?.indexOf(cell) : cell;
    if (typeof found !== 'number' || !Number.isFinite(found) || (found < 0 && names)) return null;
    return from + (measure(found) - first) * scale;
  };
}
