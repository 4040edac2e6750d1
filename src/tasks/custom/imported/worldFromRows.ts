// Makes a world from the rows that were read from a visitor's file: learns a vocabulary from them, stores the usable
// problems in a compact format, and reports the rejected rows.
import { FormatError } from '../../../base/errors.ts';
import { shortened } from '../../../base/quote.ts';
import {
  datasetShapes,
  type ImportReport,
  type PlacedExample,
  type Rejection,
  type ShapeName,
} from '../../../config/worlds/imported.ts';
import { checkWorld } from '../../registry.ts';
import { makeTable, type LeftOut, type TableOptions } from './makeTable.ts';
import { packTable } from './table.ts';

/** The number of problems in a report. */
const shownCount = 3;

export interface RowsRead extends Pick<ImportReport, 'unit' | 'rows' | 'isCut'> {
  shape: ShapeName;
  examples: PlacedExample[];
  rejections: Rejection[];
}

/** The rejected rows, each with the first characters of its text. */
function rejected(leftOut: readonly LeftOut[], examples: readonly PlacedExample[]): Rejection[] {
  const byRow = new Map(examples.map((example) => [example.row, example]));
  return leftOut.map(({ row, reason }) => {
    const { shown = '', hidden = {} } = byRow.get(row) ?? {};
    return { row, reason, begins: shortened([shown, ...Object.values(hidden)].join(' ').trim()) };
  });
}

/** The label of the world contains the name of the file without its ending. */
export async function worldFromRows(
  { shape, examples, rejections, unit, rows, isCut }: RowsRead,
  fileName: string,
  options: TableOptions,
): Promise<ImportReport> {
  const about = { shape: datasetShapes[shape].label, unit, rows, isCut };
  try {
    const { table, leftOut } = await makeTable(shape, examples, options, rejections);
    const { content, form } = await checkWorld({ kind: 'table', packed: packTable(table) });
    const all = [...rejections, ...rejected(leftOut, examples)].sort((a, b) => a.row - b.row);
    const label = `${about.shape}: ${fileName.replace(/\.\w+$/, '')}`;
    const first = table.examples.slice(0, shownCount);
    return {
      ...{ ...about, world: { content, form: { ...form, label } }, fault: '' },
      ...{ kept: table.examples.length, rejections: all, first },
    };
  } catch (error) {
    // If there are too few usable rows, no world is made, but the reasons why rows were rejected are still reported.
    if (!(error instanceof FormatError)) throw error;
    return { ...about, world: null, fault: error.message, kept: 0, rejections, first: examples.slice(0, shownCount) };
  }
}
