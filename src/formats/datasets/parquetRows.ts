// Rows of a Parquet file, one row group after the other. Its reader, and that of zstd, are fetched when a file of this kind is opened.
import { gunzipSync } from 'fflate';
import type { Compressors } from 'hyparquet';
import { FormatError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import type { SourceRow } from './jsonRows.ts';

/** Plain data of what a column holds: whole numbers of 64 bits as numbers, bytes as the text that they are. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

/** Throws FormatError where the file is damaged or packed in a way that is not read, with the rows that it is about. */
export async function* parquetRows(file: Blob): AsyncGenerator<SourceRow> {
  const [{ parquetMetadataAsync, parquetReadObjects }, { decompress }] = await Promise.all([
    import('hyparquet'),
    import('fzstd'),
  ]);
  const compressors: Compressors = {
    GZIP: (packed, length) => gunzipSync(packed, { out: new Uint8Array(length) }),
    ZSTD: (packed, length) => decompress(packed, new Uint8Array(length)),
  };
  const buffer = {
    byteLength: file.size,
    // Never throws at once: columns that are being read already would be left without anybody to hear them fail.
    slice: async (from: number, to = file.size) => {
      const begin = from < 0 ? file.size + from : from;
      if (!(begin >= 0 && begin <= to && to <= file.size)) throw new FormatError(spoken`it points beyond its end`);
      return file.slice(begin, to).arrayBuffer();
    },
  };
  const read = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      const why = cause instanceof Error ? shortened(cause.message) : '';
      throw new FormatError(
        spoken`the file: ${what} cannot be read as Parquet (${why}); write it again, uncompressed or with Snappy, gzip or zstd.`,
      );
    }
  };
  const metadata = await read(spoken`its table of contents`, () => parquetMetadataAsync(buffer));
  let at = 0;
  for (const group of metadata.row_groups) {
    const [rowStart, rowEnd] = [at, at + Number(group.num_rows)];
    const rows = await read(spoken`rows ${rowStart + 1} to ${rowEnd}`, () =>
      parquetReadObjects({ file: buffer, metadata, rowStart, rowEnd, compressors }),
    );
    for (const row of rows) {
      const value = plain(row);
      yield { at: ++at, value, begins: shortened(JSON.stringify(value)) };
    }
    at = rowEnd;
  }
}
