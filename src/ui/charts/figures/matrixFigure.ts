// A table of shares, which the page shows as shaded cells, as a figure: a matrix of cells, with the other known facts
// about each in its row.
import type { RunRecord } from '../../../records/stored/checkpoint.ts';
import type { FigureDraft } from '../../../state/run/figures.ts';

interface Matrix {
  title: string;
  summary: string;
  formula: string;
  source: string;
  /** The rows and the columns: the data column, its axis label, and its names in order. */
  down: { column: string; label: string; names: readonly string[] };
  across: { column: string; label: string; names: readonly string[] };
  /** The number in a cell, as a data column. */
  value: string;
  write: (share: number) => string;
  cells: readonly { down: string; across: string; share: number; further?: Readonly<Record<string, number>> }[];
  runs: readonly RunRecord[];
}

/** Cells without a measurement have no row. */
export function matrixFigure({ down, across, value, write, cells, runs, ...told }: Matrix): FigureDraft {
  const further = Object.keys(cells[0]?.further ?? {});
  return {
    ...{ ...told, runs, height: Math.max(2, down.names.length) * 34 },
    ...(runs.length === 1 && { under: runs[0]?.name ?? '' }),
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
