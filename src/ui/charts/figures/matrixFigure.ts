// Converts a table of shares to a figure. On the page the figure is a table of shaded cells (`MatrixTable.svelte`), so
// that it can be read out and copied. In a file the figure is a matrix of the same cells. The data row of each cell
// also contains the other known facts about the cell.
import type { ShownFigure } from './figure.ts';

export interface Matrix {
  title: string;
  summary: string;
  formula: string;
  source: string;
  /** The rows and the columns of the table. Each has a data column, an axis label, and names in order. */
  down: { column: string; label: string; names: readonly string[] };
  across: { column: string; label: string; names: readonly string[] };
  /** The data column with the number in a cell. */
  value: string;
  write: (share: number) => string;
  cells: readonly { down: string; across: string; share: number; further?: Readonly<Record<string, number>> }[];
}

/** Makes the figure. Cells without a measurement have no data row. */
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
