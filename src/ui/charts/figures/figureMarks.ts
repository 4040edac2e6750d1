// Draws the marks of a figure within its plot: curves with bands or bars, dots, cells of a matrix, levels and events.
import { ShapeError } from '../../../base/errors.ts';
import type {
  DataCell,
  ChartDrawing,
  Dot,
  FigureCells,
  FigureLine,
  FigureTable,
  Paint,
  SvgElement,
} from './drawing.ts';
import { at, dashed, shape, written } from './svgText.ts';

type Placing = (cell: DataCell | undefined) => number | null;
export interface Plot {
  /** The sides of the plot, in pixels. */
  box: { left: number; right: number; top: number; bottom: number };
  /** Functions that convert the value of a cell to a position in pixels; null if the cell contains no number. */
  place: { x: Placing; y: Placing };
}
interface Painted extends Plot {
  paint: Paint;
}

export const [levelDash, diagonalDash] = [
  [2, 4],
  [5, 4],
];

/**
 * The SVG elements of the marks. The last element is drawn on top. `clip` is an id that no other element of the
 * document has.
 */
export function marksDrawn(
  { marks, levels = [], events = [], diagonal }: ChartDrawing,
  table: FigureTable,
  plot: Painted,
  clip: string,
): SvgElement[] {
  const { box, place, paint } = plot;
  const [left, right, bottom] = [at(box.left), at(box.right), at(box.bottom)];
  const room = {
    ...{ x: at(box.left - 4), y: at(box.top - 4) },
    ...{ width: at(box.right - box.left + 8), height: at(box.bottom - box.top + 8) },
  };
  const inside = [
    ...levels.flatMap(({ value, low, high }) => [
      ...(low === undefined || high === undefined ? [] : [levelBand(place.y(low), place.y(high), plot)]),
      shape('path', {
        ...{ d: `M${left} ${at(place.y(value) as number)}H${right}`, stroke: paint('mute'), ...dashed(levelDash) },
      }),
    ]),
    ...(diagonal === undefined
      ? []
      : [
          shape('path', {
            ...{ d: `M${left} ${bottom}L${right} ${at(box.top)}`, stroke: paint('mute'), ...dashed(diagonalDash) },
          }),
        ]),
    ...events.map(({ at: when, words, isParting = false }): SvgElement => {
      const d = `M${at(place.x(when) as number)} ${at(isParting ? box.top : box.bottom - 9)}V${bottom}`;
      const look = { stroke: paint(isParting ? 'reason' : 'mute'), ...dashed(isParting ? [6, 4] : undefined) };
      const title = { name: 'title', attributes: {}, inside: words };
      return { name: 'path', attributes: { d, 'stroke-width': 2, ...look }, inside: [title] };
    }),
    // The first curve is drawn on top, because all other curves are compared with the first.
    ...marks
      .toReversed()
      .flatMap((mark) => (mark.kind === 'line' ? lineDrawn(mark, table, plot) : cellsDrawn(mark, table, plot))),
  ];
  return [
    { name: 'clipPath', attributes: { id: clip }, inside: [shape('rect', room)] },
    { name: 'g', attributes: { 'clip-path': `url(#${clip})`, fill: 'none', 'stroke-linejoin': 'round' }, inside },
  ];
}

function levelBand(low: number | null, high: number | null, { box, paint }: Painted): SvgElement {
  const [from, to] = [high as number, low as number];
  return shape('rect', {
    ...{ x: at(box.left), y: at(from), width: at(box.right - box.left), height: at(to - from) },
    ...{ fill: paint('mute'), 'fill-opacity': bandOpacity },
  });
}

const bandOpacity = 0.13;

/** Returns a function that reads a column from a row. Throws ShapeError if the column does not exist. */
export function column({ columns }: FigureTable, name: string): (row: readonly DataCell[]) => DataCell | undefined {
  const index = columns.indexOf(name);
  if (index < 0) throw new ShapeError(`figure: there is no column ${name} among ${columns.join(', ')}.`);
  return (row) => row[index];
}

function lineDrawn(mark: FigureLine, table: FigureTable, { place, paint }: Painted): SvgElement[] {
  const { low, high, ends = 'band', width = 2, sizes, dots } = mark;
  const colour = paint(mark.colour);
  const [x, y] = [column(table, mark.x), column(table, mark.y)];
  const size = sizes === undefined ? () => null : column(table, sizes);
  const largest = sizes === undefined ? 0 : Math.max(...table.rows.map((row) => Number(size(row) ?? 0)));
  const bounds = low === undefined || high === undefined ? null : ([column(table, low), column(table, high)] as const);
  const isDotted = mark.hasPoints === true || mark.isLoose === true;
  const side = ends === 'barsAlongX' ? place.x : place.y;
  // The curve of a long run has thousands of points, so dots and labels are drawn only for some points.
  const path: string[] = [];
  const bounded: Bounded[] = [];
  const dotted: (Point & { radius: number; look: Dot | undefined })[] = [];
  table.rows.forEach((row, i) => {
    const across = place.x(x(row));
    const down = place.y(y(row));
    if (across === null || down === null) return;
    path.push(`${at(across)} ${at(down)}`);
    if (bounds) {
      const [from, to] = [side(bounds[0](row)), side(bounds[1](row))];
      if (from !== null && to !== null) bounded.push({ across, down, from, to });
    }
    // A dot is drawn for a curve with a single point, because such a curve would otherwise be invisible.
    if (!isDotted && path.length > 1) dotted.length = 0;
    else {
      const share = largest > 0 ? Number(size(row) ?? 0) / largest : 0;
      const radius = sizes !== undefined ? 2.5 + 5 * Math.sqrt(share) : mark.isLoose ? 4 : 2.6;
      dotted.push({ across, down, radius, look: dots?.[i] });
    }
  });
  return [
    ...(bounded.length === 0
      ? []
      : ends === 'band'
        ? [bandOf(bounded, colour)]
        : bounded.map((one) => barOf(one, ends, colour))),
    ...(mark.isLoose || path.length < 2
      ? []
      : [shape('path', { d: `M${path.join('L')}`, stroke: colour, 'stroke-width': width, ...dashed(mark.dash) })]),
    ...dotted.map(({ across, down, radius, look }) =>
      look?.isSquare
        ? shape('rect', {
            ...{ x: at(across - radius), y: at(down - radius), width: at(2 * radius), height: at(2 * radius) },
            fill: paint(look.colour),
          })
        : shape('circle', {
            ...{ cx: at(across), cy: at(down), r: at(radius), fill: look ? paint(look.colour) : colour },
          }),
    ),
  ];
}

interface Point {
  across: number;
  down: number;
}
interface Bounded extends Point {
  from: number;
  to: number;
}

function bandOf(points: readonly Bounded[], colour: string): SvgElement {
  const there = points.map(({ across, to }) => `${at(across)} ${at(to)}`);
  const back = points.toReversed().map(({ across, from }) => `${at(across)} ${at(from)}`);
  return shape('path', { d: `M${[...there, ...back].join('L')}Z`, fill: colour, 'fill-opacity': bandOpacity });
}

function barOf({ across, down, from, to }: Bounded, ends: 'bars' | 'barsAlongX', colour: string): SvgElement {
  const d = ends === 'bars' ? `M${at(across)} ${at(from)}V${at(to)}` : `M${at(from)} ${at(down)}H${at(to)}`;
  return shape('path', { d, stroke: colour, 'stroke-width': 2, 'stroke-opacity': 0.45 });
}

/** The opacity of a cell with this share. */
export const shadeOf = (share: number): number => at(0.04 + 0.4 * share);

function cellsDrawn(mark: FigureCells, table: FigureTable, { place, paint }: Painted): SvgElement[] {
  const [x, y, value] = [column(table, mark.x), column(table, mark.y), column(table, mark.value)];
  const [width, height] = [place.x, place.y].map((of) => Math.abs((of(1) as number) - (of(0) as number)) - 3) as [
    number,
    number,
  ];
  return table.rows.flatMap((row) => {
    const [across, down, share] = [place.x(x(row)), place.y(y(row)), value(row)];
    if (across === null || down === null || typeof share !== 'number' || !Number.isFinite(share)) return [];
    return [
      shape('rect', {
        ...{ x: at(across - width / 2), y: at(down - height / 2), width: at(width), height: at(height) },
        ...{ fill: paint(mark.colour), 'fill-opacity': shadeOf(share) },
      }),
      written(mark.write(share), [across, down + 4], {
        ...{ fill: paint('ink'), 'font-size': 11.5, 'text-anchor': 'middle' },
      }),
    ];
  });
}
