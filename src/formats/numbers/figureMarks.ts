// Draws the marks of a figure within its plot: curves with bands or bars, dots, cells of a matrix, levels and events.
import { ShapeError } from '../../base/errors.ts';
import type { DataCell, ChartDrawing, FigureCells, FigureLine, FigureTable, Paint } from './drawing.ts';
import { at, dashed, escaped } from './svgText.ts';

type Placing = (cell: DataCell | undefined) => number | null;
interface Plot {
  box: { left: number; right: number; top: number; bottom: number };
  place: { x: Placing; y: Placing };
  paint: Paint;
}

export const [levelDash, diagonalDash] = [
  [2, 4],
  [5, 4],
];

/** The SVG elements of the marks; the topmost comes last. */
export function marksDrawn(
  { marks, levels = [], events = [], diagonal }: ChartDrawing,
  table: FigureTable,
  plot: Plot,
): string[] {
  const { box, place, paint } = plot;
  // The id is made from the geometry, so that several figures can be on the same page.
  const clip = `plot-${Object.values(box).map(Math.round).join('-')}`;
  const [left, top] = [at(box.left - 4), at(box.top - 4)];
  const [wide, high] = [at(box.right - box.left + 8), at(box.bottom - box.top + 8)];
  return [
    `<clipPath id="${clip}"><rect x="${left}" y="${top}" width="${wide}" height="${high}"/></clipPath>`,
    `<g clip-path="url(#${clip})" fill="none" stroke-linejoin="round">`,
    ...levels.map(({ value }) => {
      const look = `stroke="${paint('mute')}"${dashed(levelDash)}`;
      return `<path d="M${at(box.left)} ${at(place.y(value) as number)}H${at(box.right)}" ${look}/>`;
    }),
    ...(diagonal === undefined
      ? []
      : [
          `<path d="M${at(box.left)} ${at(box.bottom)}L${at(box.right)} ${at(box.top)}" stroke="${paint('mute')}"${dashed(diagonalDash)}/>`,
        ]),
    ...events.map(({ at: when, words, isParting = false }) => {
      const [colour, from] = isParting ? ['reason', box.top] : ['mute', box.bottom - 9];
      const look = `stroke="${paint(colour)}" stroke-width="2"${dashed(isParting ? [6, 4] : undefined)}`;
      return `<path d="M${at(place.x(when) as number)} ${at(from)}V${at(box.bottom)}" ${look}><title>${escaped(words)}</title></path>`;
    }),
    // The first curve is the one that the others are compared with, so it is drawn on top.
    ...marks
      .toReversed()
      .flatMap((mark) => (mark.kind === 'line' ? lineDrawn(mark, table, plot) : cellsDrawn(mark, table, plot))),
    '</g>',
  ];
}

/** Reads a column from a row. Throws ShapeError if the column does not exist. */
function column({ columns }: FigureTable, name: string): (row: readonly DataCell[]) => DataCell | undefined {
  const index = columns.indexOf(name);
  if (index < 0) throw new ShapeError(`figure: expected a column ${name}, got ${columns.join(', ')}.`);
  return (row) => row[index];
}

function lineDrawn(mark: FigureLine, table: FigureTable, { place, paint }: Plot): string[] {
  const { low, high, ends = 'band', width = 2, sizes } = mark;
  const colour = paint(mark.colour);
  const [x, y] = [column(table, mark.x), column(table, mark.y)];
  const size = sizes === undefined ? () => null : column(table, sizes);
  const largest = Math.max(...table.rows.map((row) => Number(size(row) ?? 0)));
  const bounds = low === undefined || high === undefined ? null : ([column(table, low), column(table, high)] as const);
  const points = table.rows.flatMap((row) => {
    const [across, down] = [place.x(x(row)), place.y(y(row))];
    if (across === null || down === null) return [];
    const side = ends === 'barsAlongX' ? place.x : place.y;
    const [from = null, to = null] = bounds?.map((bound) => side(bound(row))) ?? [];
    const share = largest > 0 ? Number(size(row) ?? 0) / largest : 0;
    return [{ across, down, from, to, radius: sizes === undefined ? 2.6 : 2.5 + 5 * Math.sqrt(share) }];
  });
  const bounded = points.flatMap(({ from, to, ...point }) =>
    from === null || to === null ? [] : [{ ...point, from, to }],
  );
  const path = points.map(({ across, down }) => `${at(across)} ${at(down)}`).join('L');
  const isDotted = mark.hasPoints === true || mark.isLoose === true || points.length === 1;
  return [
    ...(bounded.length === 0
      ? []
      : ends === 'band'
        ? [bandOf(bounded, colour)]
        : bounded.map((one) => barOf(one, ends, colour))),
    ...(mark.isLoose || points.length < 2
      ? []
      : [`<path d="M${path}" stroke="${colour}" stroke-width="${width}"${dashed(mark.dash)}/>`]),
    ...(isDotted
      ? points.map(
          ({ across, down, radius }) =>
            `<circle cx="${at(across)}" cy="${at(down)}" r="${at(radius)}" fill="${colour}"/>`,
        )
      : []),
  ];
}

interface Bounded {
  across: number;
  down: number;
  from: number;
  to: number;
}

function bandOf(points: readonly Bounded[], colour: string): string {
  const there = points.map(({ across, to }) => `${at(across)} ${at(to)}`);
  const back = points.toReversed().map(({ across, from }) => `${at(across)} ${at(from)}`);
  return `<path d="M${[...there, ...back].join('L')}Z" fill="${colour}" fill-opacity="0.13"/>`;
}

function barOf({ across, down, from, to }: Bounded, ends: 'bars' | 'barsAlongX', colour: string): string {
  const path = ends === 'bars' ? `M${at(across)} ${at(from)}V${at(to)}` : `M${at(from)} ${at(down)}H${at(to)}`;
  return `<path d="${path}" stroke="${colour}" stroke-width="2" stroke-opacity="0.45"/>`;
}

function cellsDrawn(mark: FigureCells, table: FigureTable, { place, paint }: Plot): string[] {
  const [x, y, value] = [column(table, mark.x), column(table, mark.y), column(table, mark.value)];
  const [wide, high] = [place.x, place.y].map((of) => Math.abs((of(1) as number) - (of(0) as number)) - 3) as [
    number,
    number,
  ];
  return table.rows.flatMap((row) => {
    const [across, down, share] = [place.x(x(row)), place.y(y(row)), value(row)];
    if (across === null || down === null || typeof share !== 'number' || !Number.isFinite(share)) return [];
    const corner = `x="${at(across - wide / 2)}" y="${at(down - high / 2)}" width="${at(wide)}" height="${at(high)}"`;
    const words = escaped(mark.write(share));
    return [
      `<rect ${corner} fill="${paint(mark.colour)}" fill-opacity="${at(0.04 + 0.4 * share)}"/>`,
      `<text x="${at(across)}" y="${at(down + 4)}" fill="${paint('ink')}" font-size="11.5" text-anchor="middle">${words}</text>`,
    ];
  });
}
