// A figure's drawing as plain data: axes, and marks that name columns of its table.

export interface FigureAxis {
  label: string;
  unit?: string;
  /** Its ends, from left to right or from the bottom to the top; the first may be the larger. */
  range: readonly [number, number];
  write: (x: number) => string;
  /** Labelled values; round ones when absent. */
  ticks?: readonly number[];
  /** For a column of words: a value's place on the axis is its index in this list. */
  names?: readonly string[];
  /** Each doubling is as wide as the others. */
  isDoubling?: true;
  /** Ticks at whole numbers only. */
  isWhole?: true;
}

/** A curve through rows. Those without a number are passed over, so that a gap is bridged. */
export interface FigureLine {
  kind: 'line';
  /** In the key; empty: it is not named there. */
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
  /** Column by which dots are larger, the largest number drawn largest. */
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
  /** Dotted across. */
  levels?: readonly { label: string; value: number }[];
  /** Names a dashed line on which x and y are equal, from corner to corner of two axes of one range. */
  diagonal?: string;
  /** Small signs above the x axis, or a line across where what follows is to be read apart. */
  events?: readonly { at: number; words: string; isParting?: boolean }[];
}

/** Null is a gap. */
export type DataCell = number | string | null;

export interface FigureTable {
  columns: readonly string[];
  rows: readonly (readonly DataCell[])[];
}

/** Colours by their names in the theme, as SVG writes them. */
export type Paint = (colour: string) => string;
