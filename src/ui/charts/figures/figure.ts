// Writes a figure as a single SVG file. The <metadata> element of the file contains, as JSON, the drawn numbers, their
// description, and the run files. Colours are fixed, the font is the default font of the reader's system, and texts are
// not converted to curves.
import type { ChartDrawing, FigureTable, Paint } from './drawing.ts';
import { fileDrawn } from './figureFrame.ts';
import { escaped, svgText } from './svgText.ts';

/** The run from which the numbers come: its name, and the run file with which it can be reproduced. */
export interface FigureRun {
  name: string;
  runFile: string;
}

/** A figure as the page draws it, with its texts. */
export interface ShownFigure extends ChartDrawing {
  /** A sentence that describes the figure, for readers who cannot see it. */
  summary: string;
  /**
   * The formula of the numbers, as in the table of metrics; absent if the figure shows numbers with different formulas.
   */
  formula?: string;
  source?: string;
  /** The drawn numbers. Marks refer to the columns of this table. */
  table: FigureTable;
}

/** A figure with all data that are written to a file. */
export interface Figure extends ShownFigure {
  /** A smaller line of text below the title. */
  under?: string;
  runs: readonly FigureRun[];
}

/** The keyword of the text chunk of a PNG file that contains the JSON. */
export const figureKeyword = 'Cothink figure';
const figureFormat = 'cothink-figure 1';

/** A figure's numbers as JSON, one row per line. JSON has no NaN or infinity, so these values are written as null. */
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
  // U+FFFE and U+FFFF are allowed in JSON, but not in XML, so they are escaped.
  return json.replace(/[\uFFFE\uFFFF]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

/** The text of the SVG file. */
export function figureSvg(figure: Figure, paint: Paint): string {
  const { width, height, body } = fileDrawn(figure, figure.table, paint);
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">
<title>${escaped(figure.title)}</title>
<desc>${escaped(figure.summary)}</desc>
<metadata>${escaped(figureJson(figure))}</metadata>
${body.map(svgText).join('\n')}
</svg>
`;
}
