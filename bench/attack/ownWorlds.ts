// The readers of a visitor's own worlds: modules that run in the sandbox, tables of imported data, and the files of rows that
// tables are made of.
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ImportedTable } from '../../src/config/worlds/imported.ts';
import { readDataset } from '../../src/formats/datasets/dataset.ts';
import { anliRow, gsm8kRow, hotpotListRow } from '../../src/formats/datasets/testing/rows.ts';
import { asOwnForm, asOwnWorld } from '../../src/storage/validate.ts';
import { makeTable } from '../../src/tasks/custom/imported/makeTable.ts';
import { packTable, unpackTable } from '../../src/tasks/custom/imported/table.ts';
import { templates } from '../../src/tasks/custom/templates.ts';
import { checkWorld } from '../../src/tasks/registry.ts';
import { bytes, record, text, type Reader } from './reader.ts';

const options = { contextSigns: 400 };
const counted = Array.from({ length: 12 }, (_, i) => i);
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const sums = lines(counted.map(gsm8kRow));
const rowFiles = [sums, lines(counted.map(anliRow)), JSON.stringify(counted.map(hotpotListRow))];
const read = (content: string | Uint8Array<ArrayBuffer>) => readDataset(new Blob([content]), options);

const rows = counted.map(gsm8kRow);
const parquet = new Uint8Array(
  parquetWriteBuffer({
    columnData: (['question', 'answer'] as const).map((name) => ({ name, data: rows.map((row) => row[name]) })),
    rowGroupSize: 6,
  }),
);

const { shape, examples } = await read(sums);
const { table } = await makeTable(shape, examples, { vocabulary: 300, prompt: 256 });
/** A visitor's own world. */
export const world = await checkWorld({ kind: 'table', packed: packTable(table) });
const sources = Object.values(templates).map(({ source }) => source);

export const ownWorlds: readonly Reader<unknown>[] = [
  text('rows of data', rowFiles, read),
  bytes('tables of data (Parquet)', [parquet], (file) => read(new Uint8Array(file))),
  text('packed tables', [packTable(table)], unpackTable),
  record('tables as worlds', [table], (given) => checkWorld({ kind: 'table', packed: packable(given) })),
  text('worlds of one’s own (modules)', sources, (source) => checkWorld({ kind: 'module', source })),
  record('stored worlds', [world], (one) => asOwnWorld(one, 'world')),
  record('stored forms of worlds', [world.form], (form) => asOwnForm(form, 'form')),
];

/** Packs a table. A value that JSON cannot represent cannot occur in a table, so the table is empty then. */
function packable(given: unknown): string {
  try {
    return packTable(given as ImportedTable);
  } catch {
    return '';
  }
}
