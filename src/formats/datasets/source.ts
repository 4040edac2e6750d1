// Reads the rows of a file in JSON Lines, JSON lists, CSV, or Parquet. The format is recognised by the beginning of the
// file.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { wideEncodingOf } from '../../base/utf8.ts';
import type { RowUnit } from '../../config/worlds/imported.ts';
import { csvRows, separatorOf } from './csvRows.ts';
import { jsonRows, type SourceRow } from './jsonRows.ts';
import { parquetRows } from './parquetRows.ts';

/** The number of bytes that are read in one step. */
const pieceBytes = 1 << 20;

/** The bytes of a file in chunks; `onRead` receives the number of bytes that have been read. */
async function* piecesOf(file: Blob, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += pieceBytes) {
    const bytes = new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer());
    yield bytes;
    onRead(at + bytes.length);
  }
}

export interface Source {
  unit: RowUnit;
  rows: AsyncGenerator<SourceRow>;
}

/**
 * Opens a file. Throws FormatError if the file is in UTF-16. If a Parquet file is damaged, the error is thrown later,
 * while the rows of the file are read.
 */
export async function openSource(file: Blob, onRead: (bytes: number) => void = () => {}): Promise<Source> {
  const bytes = new Uint8Array(await file.slice(0, 1024).arrayBuffer());
  const head = new TextDecoder().decode(bytes);
  if (head.startsWith('PAR1')) return { unit: 'row', rows: parquetRows(file) };
  const wide = wideEncodingOf(bytes);
  if (wide) throw new FormatError(spoken`the file: expected a text in UTF-8, got ${wide}; save it again in UTF-8.`);
  const pieces = piecesOf(file, onRead);
  const separator = separatorOf(head);
  if (separator !== null) return { unit: 'row', rows: csvRows(pieces, separator) };
  if (/^\s*\[/.test(head)) return { unit: 'entry', rows: jsonRows(pieces, 'list') };
  return { unit: 'line', rows: jsonRows(pieces, 'lines') };
}
