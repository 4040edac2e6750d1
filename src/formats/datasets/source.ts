// Where rows come from: a file of JSON Lines, one JSON list, or Parquet, told apart by how it begins.
import type { RowUnit } from '../../config/worlds/imported.ts';
import { jsonRows, type SourceRow } from './jsonRows.ts';
import { parquetRows } from './parquetRows.ts';

/** Bytes that are read at once. */
const pieceBytes = 1 << 20;

/** The text of a file in pieces; `onRead` hears of the bytes read. What is no UTF-8 is drawn as U+FFFD. */
async function* textOf(file: Blob, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (let at = 0; at < file.size; at += pieceBytes) {
    const bytes = await file.slice(at, at + pieceBytes).arrayBuffer();
    yield decoder.decode(bytes, { stream: true });
    onRead(at + bytes.byteLength);
  }
  yield decoder.decode();
}

export interface Source {
  unit: RowUnit;
  rows: AsyncGenerator<SourceRow>;
}

/** Opens a file. Its rows throw FormatError where a Parquet file is damaged. */
export async function openSource(file: Blob, onRead: (bytes: number) => void = () => {}): Promise<Source> {
  const head = await file.slice(0, 1024).text();
  if (head.startsWith('PAR1')) return { unit: 'row', rows: parquetRows(file) };
  if (/^\uFEFF?\s*\[/.test(head)) return { unit: 'entry', rows: jsonRows(textOf(file, onRead), 'list') };
  return { unit: 'line', rows: jsonRows(textOf(file, onRead), 'lines') };
}
