// Reads one row group of a Parquet file, column after column. hyparquet itself reads all columns in parallel and
// reports only the first failure. All further failures would be unhandled rejections, which the page shows as errors of
// the worker. Here each column is read, checked and decoded before the next one starts, so there is never more than one
// failure.
import type { Compressors, DecodedArray, ParquetParsers, RowGroup, SchemaTree } from 'hyparquet';
import { parquetHeader, readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { assembleAsync } from 'hyparquet/src/rowgroup.js';
import * as schemas from 'hyparquet/src/schema.js';
import { flatten } from 'hyparquet/src/utils.js';
import { utf8Of } from '../../base/utf8.ts';
import { readLooseJson } from '../looseJson.ts';
import { checkPages, claimsTooMuch, type Held } from './parquetPages.ts';

/**
 * Decoders for values: bytes become a text if they are valid UTF-8, and stay unchanged otherwise. JSON may contain NaN
 * and Infinity, as Python writes them.
 */
const parsers: ParquetParsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes) => bytes && (utf8Of(bytes) ?? bytes),
  jsonFromBytes: (bytes) => bytes && readLooseJson(utf8Of(bytes) ?? ''),
};

interface Source {
  schema: SchemaTree;
  slice: (from: number, to: number) => Promise<ArrayBuffer>;
  compressors: Compressors;
}

/**
 * Reads the columns of a row group, each of which has a value for every row. Throws FormatError if a column is damaged.
 */
export async function readGroup(group: RowGroup, { schema, slice, compressors }: Source) {
  const rows = Number(group.num_rows);
  const select = { groupStart: 0, selectStart: 0, selectEnd: rows, groupRows: rows };
  const tools = { parquetHeader, decompressPage, schema: schemas };
  const held: Held = { values: 0, bytes: 0 };
  const read: { pathInSchema: string[]; data: Promise<{ data: DecodedArray[]; skipped: number }> }[] = [];
  for (const { meta_data: column, file_path: elsewhere } of group.columns) {
    if (!column || elsewhere) throw claimsTooMuch();
    const schemaPath = schemas.getTreePath(schema, column.path_in_schema);
    const element = (schemaPath.at(-1) as SchemaTree).element;
    const decoder = { ...column, pathInSchema: column.path_in_schema, element, schemaPath, compressors, parsers };
    const from = Number(column.dictionary_page_offset || column.data_page_offset);
    const chunk = await slice(from, from + Number(column.total_compressed_size));
    checkPages(new Uint8Array(chunk), rows, decoder, { tools, held });
    const decoded = readColumn({ view: new DataView(chunk), offset: 0 }, select, decoder);
    read.push({ pathInSchema: column.path_in_schema, data: Promise.resolve(decoded) });
  }
  // Lists and structs are assembled here. `Promise.all` handles the failure of any of the columns.
  const { asyncColumns } = assembleAsync({ ...select, asyncColumns: read }, schema);
  const whole = await Promise.all(asyncColumns.map(({ data }) => data));
  if (whole.length === 0 && rows > 0) throw claimsTooMuch();
  return whole.map(({ data }, i) => {
    const values = flatten(data);
    if (values.length < rows) throw claimsTooMuch();
    return { name: (asyncColumns[i] as { pathInSchema: string[] }).pathInSchema[0] as string, values };
  });
}
