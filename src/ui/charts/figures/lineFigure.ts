// Converts a chart's curves to a figure. The table of the figure has a row for each position on the x axis, and columns
// for each curve and for the ends of its interval.
import type { RunMark } from '../../../state/trainer/runView.ts';
import { say } from '../../../state/visitor/language.svelte.ts';
import { grouped } from '../../words.ts';
import { extent, type ChartLevel, type ChartLine } from '../chartLine.ts';
import type { FigureLine } from './drawing.ts';
import type { ShownFigure } from './figure.ts';

export interface FigureAbout {
  title: string;
  /** The label of the y axis, if this label differs from the title of the chart. */
  y?: string;
  unit?: string;
  formula?: string;
  source?: string;
  /** The x axis, with the name of its data column and its label. If absent, the axis shows iterations. */
  x?: { column: string; label: string };
}

export interface LineChart {
  /** Positions on the x axis, in ascending order. */
  iterations: readonly number[];
  lines: readonly ChartLine[];
  levels?: readonly ChartLevel[];
  /** The x axis ends at this value or later. */
  total?: number;
  /** The limits of the y axis. If absent, the limits are computed from the numbers. */
  range?: readonly [number, number] | null;
  /** Formats the numbers on the y axis. */
  write: (x: number) => string;
  /** A sentence that describes the chart for screen readers. */
  summary: string;
  /** Events that are marked above the x axis. */
  marks?: readonly RunMark[];
}

/**
 * The minimum range of an axis. Smaller differences between numbers may be rounding errors, so the chart does not
 * magnify them.
 */
const smallestSpan = 2e-3;

function yRange({ lines, levels = [], range }: LineChart): readonly [number, number] {
  if (range) return range;
  const [low, high] = extent(lines, levels) ?? [0, 1];
  const bottom = Math.min(0, low);
  const pad = Math.max((high - bottom) * 0.12, smallestSpan - (high - bottom));
  return [bottom < 0 ? bottom - pad : 0, high + pad];
}

/** Makes the figure. For a long run, each row of the table contains the numbers of several consecutive iterations. */
export function lineFigure(chart: LineChart, about: FigureAbout): ShownFigure {
  const { title, y = title, x = { column: 'iteration', label: say('iteration') }, unit, formula, source } = about;
  const { iterations, levels = [], marks = [], total = 0, range = null, write, summary } = chart;
  const columns = [x.column];
  const values: (readonly (number | null)[])[] = [iterations];
  const take = (wanted: string, of: readonly (number | null)[]) => {
    let name = wanted;
    for (let number = 2; columns.includes(name); number++) name = `${wanted} ${number}`;
    columns.push(name);
    values.push(of);
    return name;
  };
  const lines = chart.lines.map((line: ChartLine): FigureLine => {
    const { label, colour, width, dash, hasPoints, low, high } = line;
    const column = take(line.column ?? (label || title), line.values);
    const interval = low && high && { low: take(`${column} low`, low), high: take(`${column} high`, high) };
    const look = { ...(width !== undefined && { width }), ...(dash && { dash }), ...(hasPoints && { hasPoints }) };
    return { kind: 'line', label, colour, x: x.column, y: column, ...interval, ...look };
  });
  const end = Math.max(1, total, iterations.at(-1) ?? 0);
  // If the chart contains no data, the y axis has no numbers, because such numbers would be misleading.
  const isBlank = range === null && extent(chart.lines, []) === null;
  return {
    ...{ title, summary, marks: lines, levels, height: 250 },
    ...(formula !== undefined && { formula }),
    ...(source !== undefined && { source }),
    x: { label: x.label, range: [0, end], write: grouped, isWhole: true },
    y: { label: y, range: yRange(chart), write, ...(unit !== undefined && { unit }), ...(isBlank && { ticks: [] }) },
    events: marks.map(({ iteration, words, isParting = false }) => ({ at: iteration, words, isParting })),
    table: { columns, rows: iterations.map((_, i) => values.map((of) => of[i] ?? null)) },
  };
}
