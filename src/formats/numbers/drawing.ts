// A figure as plain data: axes, and marks that name columns of its table.

export interface FigureAxis {
  label: string;
  unit?: string;
  /** Its ends, from left to right or from the bottom to the top; the first may be the larger. */
  range: readonly [number, number];
  write: (x: number) => string;
  /** Labelled values; round ones when absent. */
  ticks?: readonly number[];
  /** For a column of words: the position of a value on the axis is its index in this list. */
  names?: readonly string[];
  /** Logarithmic: each doubling has the same width. */
  isDoubling?: true;
  /** Ticks at whole numbers only. */
  isWhole?: true;
}

/** A curve through rows. Rows without a number are skipped, so that a gap is bridged. */
export interface FigureLine {
  kind: 'line';
  /** The name in the legend; empty: it is not in the legend. */
  label: string;
  /** Columns. */
  x: string;
  y: string;
  /** Columns of the ends of an interval: a band round the curve, or a bar through each dot. */
  low?: string;
  high?: string;
  ends?: 'band' | 'bars' | 'barsAlongX';
  colour: string;
  width?: number;
  dash?: readonly number[];
  hasPoints?: boolean;
  /** Dots are not joined. */
  isLoose?: true;
  /** Column that determines the size of dots; the largest number is drawn largest. */
  sizes?: string;
}

/** A matrix: each row is a cell, darker for a larger share. */
export interface FigureCells {
  kind: 'cells';
  x: string;
  y: string;
  /** Column of a share in [0, 1]. */
  value: string;
  colour: string;
  write: (x: number) => string;
}

export interface ChartDrawing {
  title: string;
  /** Below the title, smaller. */
  under?: string;
  /** Height of the plot, in pixels. */
  height: number;
  x: FigureAxis;
  y: FigureAxis;
  marks: readonly (FigureLine | FigureCells)[];
  /** A dotted line across the plot. */
  levels?: readonly { label: string; value: number }[];
  /** Name of a dashed line on which x and y are equal, from corner to corner, for two axes with the same range. */
  diagonal?: string;
  /** Small signs above the x axis, or a line across the plot where the rest is to be read separately. */
  events?: readonly { at: number; words: string; isParting?: boolean }[];
}

/** Null is a gap. */
export type DataCell = number | string | null;

export interface FigureTable {
  columns: readonly string[];
  rows: readonly (readonly DataCell[])[];
}

/** Colours by their names in the theme, in SVG notation. */
export type Paint = (colour: string) => string;
