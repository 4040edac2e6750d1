// Options of a uPlot chart in the page's style: lines, dotted levels, one vertical mark. Names are shown in the legend
// above. Everything that changes during training is read through `now()` when the chart is drawn, so a chart is built
// only once.
import uPlot from 'uplot';
import { extent, type ChartLevel, type ChartLine } from './chartLine.ts';
import type { Palette } from './palette.ts';

export interface PlotState {
  iterations: number[];
  lines: ChartLine[];
  levels: ChartLevel[];
  /** Total number of iterations: the end of the x axis. */
  total: number;
  /** The iteration with the vertical mark; null if there is none. */
  marker: number | null;
  /** Limits of the y axis; computed from the numbers if absent. */
  range: [number, number] | null;
  write: (x: number) => string;
}

export interface PlotOptions {
  size: { width: number; height: number };
  hasAxis: boolean;
  palette: Palette;
  now: () => PlotState;
  onhover: (index: number | null) => void;
}

/** If the numbers differ by less than this, the difference is floating-point noise and is not magnified. */
const smallestSpan = 2e-3;
/** Steps of the y axis: 1, 2 or 5 times a power of ten. */
const ySteps = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map((step) => step * 10 ** (i - 4))).flat();

/** Possible steps of the x axis, in iterations or tokens. */
const xSteps = [1, ...Array.from({ length: 9 }, (_, i) => [5, 10, 20, 25].map((step) => step * 10 ** i)).flat()];

const font = '12px system-ui, sans-serif';
/** Distance between the labels of the y axis and the plot, in CSS pixels. */
const yGap = 4;

/** Dashes of a level, in CSS pixels. */
export const levelDash = [2, 4];

/** Columns for uPlot: iterations, followed by the values, upper and lower ends of each line. */
export function columnsOf({ iterations, lines }: PlotState): uPlot.AlignedData {
  const absent = iterations.map(() => null);
  return [iterations, ...lines.flatMap((line) => [line.values, line.high ?? absent, line.low ?? absent])];
}

/** The part of the state on which the structure of a chart depends: if it changes, the chart must be rebuilt. */
export const structureOf = (lines: readonly ChartLine[]) =>
  lines.map((line) => [line.colour, line.width, line.dash, line.hasPoints, line.low !== undefined].join()).join(' ');

/** Limits of the y axis. */
export function yRange({ lines, levels, range }: PlotState): [number, number] {
  if (range) return range;
  const [low, high] = extent(lines, levels) ?? [0, 1];
  const bottom = Math.min(0, low);
  const pad = Math.max((high - bottom) * 0.12, smallestSpan - (high - bottom));
  return [bottom < 0 ? bottom - pad : 0, high + pad];
}

/** Limits of the x axis. */
export const xRange = ({ total, iterations }: Pick<PlotState, 'total' | 'iterations'>): [number, number] => [
  0,
  Math.max(1, total, iterations.at(-1) ?? 0),
];

function seriesOf(lines: readonly ChartLine[], palette: Palette): uPlot.Series[] {
  return lines.flatMap((line): uPlot.Series[] => {
    const stroke = () => palette.colour(line.colour);
    const hidden: uPlot.Series = { stroke: () => 'transparent', width: 0, points: { show: false } };
    // A line with a single point would otherwise be invisible.
    const show = (_: uPlot, __: number, from: number, to: number) => line.hasPoints === true || from === to;
    const points = { show, size: 5, width: 0, fill: stroke, stroke };
    return [{ stroke, width: line.width ?? 2, dash: line.dash, spanGaps: true, points }, hidden, hidden];
  });
}

function bandsOf(lines: readonly ChartLine[], palette: Palette): uPlot.Band[] {
  return lines.flatMap((line, i): uPlot.Band[] =>
    line.low ? [{ series: [3 * i + 2, 3 * i + 3], fill: () => palette.colour(line.colour, 0.13) }] : [],
  );
}

function drawLevels(u: uPlot, { levels }: PlotState, palette: Palette) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = palette.colour('mute');
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash(levelDash.map((length) => length * uPlot.pxRatio));
  for (const level of levels) {
    if (level.low !== undefined && level.high !== undefined) {
      const [top, bottom] = [u.valToPos(level.high, 'y', true), u.valToPos(level.low, 'y', true)];
      ctx.fillStyle = palette.colour('mute', 0.13);
      ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
    }
    const y = Math.round(u.valToPos(level.value, 'y', true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

function drawMarker(u: uPlot, { marker }: PlotState, palette: Palette) {
  if (marker === null) return;
  const x = Math.round(u.valToPos(marker, 'x', true)) + 0.5;
  u.ctx.save();
  u.ctx.strokeStyle = palette.colour('focus', 0.7);
  u.ctx.lineWidth = 1.5 * uPlot.pxRatio;
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

/**
 * Width of the labels of the y axis in CSS pixels. It is the same in most charts, so that plots below each other are
 * aligned.
 */
function yAxisWidth({ ctx }: uPlot, numbers: readonly string[] | null): number {
  ctx.save();
  ctx.font = font;
  // If the label were cut off, −0.005 would read as 0.005.
  const width = Math.max(...(numbers ?? []).map((text) => ctx.measureText(text).width));
  ctx.restore();
  return Math.max(46, Math.ceil(width) + 2 * yGap);
}

/** Options for `new uPlot(options, columnsOf(now()), element)`. */
export function plotOptions({ size, hasAxis, palette, now, onhover }: PlotOptions): uPlot.Options {
  const { lines } = now();
  const stroke = () => palette.colour('mute');
  const grid = { stroke: () => palette.colour('line'), width: 1 };
  const none = { show: false };
  const hasNumbers = () => now().range !== null || extent(now().lines, []) !== null;
  const xs = {
    font,
    stroke,
    size: hasAxis ? 22 : 4,
    gap: 3,
    grid: none,
    ticks: none,
    space: 48,
    incrs: xSteps,
  };
  return {
    ...size,
    padding: [7, 24, 0, 0], // half of 100,000
    legend: none,
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, range: () => xRange(now()) },
      y: { range: () => yRange(now()) },
    },
    series: [{}, ...seriesOf(lines, palette)],
    bands: bandsOf(lines, palette),
    axes: [
      { ...xs, ...(hasAxis ? {} : { values: () => [] }) },
      {
        font,
        stroke,
        size: yAxisWidth,
        gap: yGap,
        grid,
        ticks: none,
        space: 20,
        incrs: ySteps,
        values: (_, splits) => (hasNumbers() ? splits.map((y) => now().write(y)) : []),
      },
    ],
    hooks: {
      drawAxes: [(u) => drawLevels(u, now(), palette)],
      draw: [(u) => drawMarker(u, now(), palette)],
      setCursor: [(u) => onhover(u.cursor.idx ?? null)],
    },
  };
}
