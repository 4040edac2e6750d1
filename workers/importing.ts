// Makes a world from a visitor's file: reads the rows of the file, learns a vocabulary from them, stores the usable
// problems in a compact format, and reports the rejected rows.
import type { ImportApi } from '../src/api/importConnection.ts';
import { FormatError } from '../src/base/errors.ts';
import { shortened } from '../src/base/quote.ts';
import { spoken } from '../src/base/spoken.ts';
import { datasetShapes, type PlacedExample, type Rejection } from '../src/config/worlds/imported.ts';
import { readDataset } from '../src/formats/datasets/dataset.ts';
import { makeTable, type LeftOut } from '../src/tasks/custom/imported/makeTable.ts';
import { packTable } from '../src/tasks/custom/imported/table.ts';
import { checkWorld } from '../src/tasks/registry.ts';

/** The number of problems that are shown before the visitor stores the world. */
const shownCount = 3;

/** The rejected rows, each with the first characters of its text. */
function rejected(leftOut: readonly LeftOut[], examples: readonly PlacedExample[]): Rejection[] {
  const byRow = new Map(examples.map((example) => [example.row, example]));
  return leftOut.map(({ row, reason }) => {
    const { shown = '', hidden = {} } = byRow.get(row) ?? {};
    return { row, reason, begins: shortened([shown, ...Object.values(hidden)].join(' ').trim()) };
  });
}

export const importFile: ImportApi['importFile'] = async ({ file, vocabulary, prompt }, tell) => {
  const reading = spoken`Reading the file`;
  tell({ words: reading, readBytes: 0 });
  const { shape, examples, rejections, unit, rows, isCut } = await readDataset(
    file,
    { contextSigns: prompt },
    (readBytes) => tell({ words: reading, readBytes }),
  );
  tell({ words: spoken`Learning a vocabulary`, readBytes: null });
  const about = { shape: datasetShapes[shape].label, unit, rows, isCut };
  try {
    const { table, leftOut } = await makeTable(shape, examples, { vocabulary, prompt }, rejections);
    const { content, form } = await checkWorld({ kind: 'table', packed: packTable(table) });
    const all = [...rejections, ...rejected(leftOut, examples)].sort((a, b) => a.row - b.row);
    const label = `${about.shape}: ${file.name.replace(/\.\w+$/, '')}`;
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
};
