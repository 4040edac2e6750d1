// Converts shares in rows and columns to a figure. On the page, the shares are shown as a table of shaded cells
// (`MatrixTable.svelte`), so that a screen reader can read the table, and so that it can be copied. In a file, the same
// cells are drawn as a matrix. In the data, there is one row for each cell, which may contain further numbers about the
// cell.
import type { ShownFigure } from './figure.ts';

export interface Matrix {
  title: string;
  summary: string;
  formula: string;
  source: string;
  /**
   * The rows (`down`) and the columns (`across`) of the table: each with the name of the data column, the label of the
   * axis, and the names of the rows or columns in order.
   */
  down: { column: string; label: string; names: readonly string[] };
  across: { column: string; label: string; names: readonly string[] };
  /** The data column with the number in a cell. */
  value: string;
  write: (share: number) => string;
  cells: readonly { down: string; across: string; share: number; further?: Readonly<Record<string, number>> }[];
}

/** Makes the figure. Cells without a measurement have no row in the data. */
export function matrixFigure({ down, across, value, write, cells, ...told }: Matrix): ShownFigure {
  const further = Object.keys(cells[0]?.further ?? {});
  return {
    ...{ ...told, height: Math.max(2, down.names.length) * 34 },
    x: { label: across.label, range: [-0.5, across.names.length - 0.5], names: across.names, write: String },
    y: { label: down.label, range: [down.names.length - 0.5, -0.5], names: down.names, write: String },
    marks: [{ kind: 'cells', x: across.column, y: down.column, value, colour: 'meta', write }],
    table: {
      columns: [down.column, across.column, value, ...further],
      rows: cells.map((cell) => [
        cell.down,
        cell.across,
        cell.share,
        ...further.map((name) => cell.further?.[name] ?? null),
      ]),
    },
  };
}
