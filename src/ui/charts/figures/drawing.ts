// A figure as plain data. A figure consists of axes, and of marks that refer to columns of its table. The page and the
// file draw the same data.

export interface FigureAxis {
  label: string;
  unit?: string;
  /** The ends of the axis, from left to right or from bottom to top; the first may be the larger one. */
  range: readonly [number, number];
  write: (x: number) => string;
  /** The values that have a label. If absent, round values are chosen. */
  ticks?: readonly number[];
  /** The words on the axis, for a column of words. The position of a word is its index in this list. */
  names?: readonly string[];
  /** Whether the axis is logarithmic, so that each doubling has the same width. */
  isDoubling?: true;
  /** Whether ticks are only at whole numbers. */
  isWhole?: true;
}

export interface Dot {
  colour: string;
  isSquare?: boolean;
}

/**
 * A curve through the rows of the table. Rows without a number are skipped, and the curve continues with the next row.
 */
export interface FigureLine {
  kind: 'line';
  /** The name in the legend. If the name is empty, the curve is not in the legend. */
  label: string;
  /** Columns. */
  x: string;
  y: string;
  /**
   * The columns with the ends of an interval, which is drawn as a band around the curve, or as a bar through each dot.
   */
  low?: string;
  high?: string;
  ends?: 'band' | 'bars' | 'barsAlongX';
  colour: string;
  width?: number;
  dash?: readonly number[];
  hasPoints?: boolean;
  /** Whether the dots are drawn without a line between them. */
  isLoose?: true;
  /** The column that determines the size of dots. The largest number has the largest dot. */
  sizes?: string;
  /** The appearance of the dot of each row, if the dots differ. */
  dots?: readonly Dot[];
}

/** A matrix in which each row of the table is a cell, darker for a larger share. */
export interface FigureCells {
  kind: 'cells';
  x: string;
  y: string;
  /** The column with a share in [0, 1]. */
  value: string;
  colour: string;
  write: (x: number) => string;
}

export interface ChartDrawing {
  title: string;
  /** Height of the plot in a file, in pixels. */
  height: number;
  x: FigureAxis;
  y: FigureAxis;
  marks: readonly (FigureLine | FigureCells)[];
  /** Dotted lines across the plot, each with the range expected by chance as a band. */
  levels?: readonly { label: string; value: number; low?: number; high?: number }[];
  /** The name of the diagonal, a dashed line on which x and y are equal, for two axes with the same range. */
  diagonal?: string;
  /**
   * Small marks above the x axis. With `isParting`, the mark is a line across the plot, and the numbers after it should
   * be read separately.
   */
  events?: readonly { at: number; words: string; isParting?: boolean }[];
  /** Bars below the plot, one for each row. The columns contain the two ends of a bar, and its number. */
  counts?: { from: string; to: string; number: string };
}

/** Null means that there is no value. */
export type DataCell = number | string | null;

export interface FigureTable {
  columns: readonly string[];
  rows: readonly (readonly DataCell[])[];
}

/** Colours by their names in the theme, written as in SVG. */
export type Paint = (colour: string) => string;

/** An element of SVG as plain data: the page renders it, and a file contains it as text. */
export interface SvgElement {
  name: string;
  attributes: Readonly<Record<string, string | number>>;
  /** The text or the elements inside the element. */
  inside?: string | readonly SvgElement[];
}
