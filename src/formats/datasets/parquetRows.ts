// Reads the rows of a Parquet file, one row group after the other. The Parquet reader and the zstd decoder are loaded
// when such a file is opened.
import type { Compressors } from 'hyparquet';
import { FormatError } from '../../base/errors.ts';
import { gunzipWithin, unpackWithin } from '../../base/inflate.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { utf8Of } from '../../base/utf8.ts';
import type { SourceRow } from './jsonRows.ts';
import { claimsTooMuch } from './parquetPages.ts';

/**
 * Converts a value to plain data: 64-bit integers become numbers, or text if they have too many digits, non-finite numbers become null, and bytes become text
 * if they are valid UTF-8. Other bytes stay unchanged.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Uint8Array) return utf8Of(value) ?? value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

const asWritten = (_: string, item: unknown) => (item instanceof Uint8Array ? '…' : item);

/** Refuses a page that contains more bytes than its header states. */
function refuseMore(length: number): never {
  throw new FormatError(spoken`a page contains more than the ${length} bytes that its header declares`);
}

/** The maximum number of rows in a row group, which is also the default of most programs that write such files. */
const mostRows = 1 << 20;
/** The maximum number of entries in the file's schema. */
const mostFields = 1000;

/**
 * Reads the rows. Throws FormatError if the file is damaged or compressed in an unsupported way. The message states the
 * affected rows.
 */
export async function* parquetRows(file: Blob): AsyncGenerator<SourceRow> {
  const [{ parquetMetadataAsync, parquetSchema }, { Decompress }, { readGroup }] = await Promise.all([
    import('hyparquet'),
    import('fzstd'),
    import('./parquetGroup.ts'),
  ]);
  const compressors: Compressors = {
    GZIP: (packed, length) => gunzipWithin(packed, length) ?? refuseMore(length),
    ZSTD: (packed, length) => unpackWithin(packed, length, (hear) => new Decompress(hear)) ?? refuseMore(length),
  };
  const slice = async (from: number, to = file.size) => {
    if (!(from >= 0 && from <= to && to <= file.size)) throw new FormatError(spoken`it points beyond its end`);
    return file.slice(from, to).arrayBuffer();
  };
  const read = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      const why = cause instanceof Error ? shortened(cause.message) : '';
      throw new FormatError(
        spoken`the file: ${what} cannot be read as Parquet (${why}); save the file again, uncompressed or with Snappy, gzip or zstd.`,
      );
    }
  };
  const { metadata, schema } = await read(spoken`its table of contents`, async () => {
    const metadata = await parquetMetadataAsync({ byteLength: file.size, slice });
    if (metadata.schema.length > mostFields) throw claimsTooMuch();
    return { metadata, schema: parquetSchema(metadata) };
  });
  let at = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    const columns = await read(spoken`rows ${at + 1} to ${at + count}`, async () => {
      if (!(count >= 0 && count <= mostRows)) throw claimsTooMuch();
      return readGroup(group, { schema, slice, compressors });
    });
    for (let i = 0; i < count; i++) {
      const value = plain(Object.fromEntries(columns.map(({ name, values }) => [name, values[i] as unknown])));
      yield { at: ++at, value, begins: shortened(JSON.stringify(value, asWritten)) };
    }
  }
}
