// A figure as a self-contained file: an SVG with the rows it draws, their description and their run files as JSON in
// its <metadata>. Colours are given, fonts are the reader's own, text stays text, nothing is fetched.
import type { ChartDrawing, FigureTable, Paint } from './drawing.ts';
import { drawn } from './figureFrame.ts';
import { escaped } from './svgText.ts';

/** Where rows come from: the name of a run, and its run file, which makes it again. */
export interface FigureRun {
  name: string;
  runFile: string;
}

export interface Figure extends ChartDrawing {
  /** The figure in one sentence, for readers who cannot see it. */
  summary: string;
  /** Formula of the numbers, as in the metric table; absent where no single one describes them. */
  formula?: string;
  source?: string;
  /** The numbers that are drawn, and nothing else: marks name its columns. */
  table: FigureTable;
  runs: readonly FigureRun[];
}

/** Keyword of the JSON in a PNG. */
export const figureKeyword = 'Cothink figure';
const figureFormat = 'cothink-figure 1';

/** A figure's numbers as JSON, one row per line. JSON has no NaN or infinity; both become null. */
export function figureJson({ title, summary, formula, source, x, y, levels, events, table, runs }: Figure): string {
  const axis = ({ label, unit }: Figure['x']) => ({ label, ...(unit !== undefined && { unit }) });
  const said = {
    ...{ format: figureFormat, title, summary },
    ...(formula !== undefined && { formula }),
    ...(source !== undefined && { source }),
    ...{ x: axis(x), y: axis(y) },
    ...(levels?.length && { levels }),
    ...(events?.length && { events }),
    columns: table.columns,
  };
  const lines = Object.entries(said).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const list = (key: string, all: readonly unknown[]) =>
    `${JSON.stringify(key)}: [\n${all.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]`;
  const json = `{\n${[...lines, list('rows', table.rows), list('runs', runs)].join(',\n')}\n}`;
  // JSON holds these two as they are, XML does not.
  return json.replace(/[\uFFFE\uFFFF]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

/** The SVG file. */
export function figureSvg(figure: Figure, paint: Paint): string {
  const { width, height, body } = drawn(figure, figure.table, paint);
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">
<title>${escaped(figure.title)}</title>
<desc>${escaped(figure.summary)}</desc>
<metadata>${escaped(figureJson(figure))}</metadata>
${body.join('\n')}
</svg>
`;
}
