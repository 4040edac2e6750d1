// Describes a figure as plain data. A figure consists of a table, axes, and marks such as lines. Marks refer to columns
// of the table. The drawings of a figure on the page and in a file are made from the same data.

export interface FigureAxis {
  label: string;
  unit?: string;
  /**
   * The values at the two ends of the axis, from left to right or from bottom to top. The first value may be larger
   * than the second.
   */
  range: readonly [number, number];
  write: (x: number) => string;
  /** The values that have a label. If absent, round values are chosen. */
  ticks?: readonly number[];
  /** If the column contains words, this list contains the words in their order on the axis. */
  names?: readonly string[];
  /** Whether the axis is logarithmic, so that a doubling always has the same width. */
  isDoubling?: true;
  /** Whether the axis has ticks only at whole numbers. */
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
  /** The columns of the table that are drawn. */
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
  /** Whether only dots are drawn, without a line between them. */
  isLoose?: true;
  /** The column that determines the size of the dots. The dot for the largest number is the largest. */
  sizes?: string;
  /** The appearance of the dot of each row, if the dots differ. */
  dots?: readonly Dot[];
}

/** A matrix of cells. Each row of the table describes one cell. A cell with a larger share is darker. */
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
  /** The height of the plot in a file, in pixels. */
  height: number;
  x: FigureAxis;
  y: FigureAxis;
  marks: readonly (FigureLine | FigureCells)[];
  /** Dotted lines across the plot, each with the range expected by chance as a band. */
  levels?: readonly { label: string; value: number; low?: number; high?: number }[];
  /**
   * The name of a dashed diagonal line on which x and y are equal. The diagonal is drawn only if both axes have the
   * same range.
   */
  diagonal?: string;
  /**
   * Small marks above the x axis. With `isParting`, the mark is a line across the plot, which means that numbers on its
   * left and right cannot be compared directly.
   */
  events?: readonly { at: number; words: string; isParting?: boolean }[];
  /** Bars below the plot, one for each row. The columns contain the two ends of a bar, and its number. */
  counts?: { from: string; to: string; number: string };
}

/** The value of a cell of the table; null if there is no value. */
export type DataCell = number | string | null;

export interface FigureTable {
  columns: readonly string[];
  rows: readonly (readonly DataCell[])[];
}

/** Returns the SVG notation of a colour, given its name in the theme. */
export type Paint = (colour: string) => string;

/** An SVG element as plain data. The page renders the element, and files contain the element as text. */
export interface SvgElement {
  name: string;
  attributes: Readonly<Record<string, string | number>>;
  /** The text or the elements inside the element. */
  inside?: string | readonly SvgElement[];
}
