// Checks, page by page, whether the sizes and counts that a column of a Parquet file states agree with its bytes. This
// happens before hyparquet decodes the column. hyparquet trusts sizes and run lengths, loops forever on a header
// without a size, and fills the memory with a run of billions of values. The format of pages and runs is described in
// README.md and Encodings.md of github.com/apache/parquet-format.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';

/**
 * The maximum number of values in all columns of a row group together, and of bytes in their pages after decompression.
 */
const mostValues = 10_000_000;
const mostBytes = 1_000_000_000;
/**
 * The maximum size of a page's header. A header consists of a few dozen bytes, and of the minimum and the maximum value
 * in the page.
 */
const mostHeaderBytes = 1 << 16;

export const claimsTooMuch = () => new FormatError(spoken`the header declares more data than the file contains`);

/** The number of values and bytes in the columns of a row group that have been read so far. */
export interface Held {
  values: number;
  bytes: number;
}

/** Functions of hyparquet that read a header, decompress a page, and determine how deeply a column is nested. */
export interface PageTools {
  parquetHeader: typeof import('hyparquet/src/column.js').parquetHeader;
  decompressPage: typeof import('hyparquet/src/datapage.js').decompressPage;
  schema: Pick<
    typeof import('hyparquet/src/schema.js'),
    'getMaxDefinitionLevel' | 'getMaxRepetitionLevel' | 'isFlatColumn'
  >;
}

type Column = Parameters<typeof import('hyparquet/src/column.js').readColumn>[2];

/**
 * Checks the pages of `chunk`, which is a column with `rows` rows. Throws FormatError if a page declares more values or
 * bytes than it contains, or if there are more than the limits allow.
 */
export function checkPages(
  chunk: Uint8Array,
  rows: number,
  column: Column,
  { tools, held }: { tools: PageTools; held: Held },
): void {
  const { schemaPath, codec, compressors, type } = column;
  const isFlat = tools.schema.isFlatColumn(schemaPath);
  const repetition = widthOf(tools.schema.getMaxRepetitionLevel(schemaPath));
  const definition = widthOf(tools.schema.getMaxDefinitionLevel(schemaPath));
  let offset = 0;
  for (let read = 0; offset < chunk.length - 1 && !(isFlat && read >= rows);) {
    const reader = { view: viewOf(chunk.subarray(offset, offset + mostHeaderBytes)), offset: 0 };
    const header = tools.parquetHeader(reader);
    offset += reader.offset;
    const packedBytes = counted(header.compressed_page_size, chunk.length - offset);
    held.bytes += counted(header.uncompressed_page_size);
    const packed = chunk.subarray(offset, offset + packedBytes);
    offset += packedBytes;
    const { data_page_header: first, data_page_header_v2: second, dictionary_page_header: dictionary } = header;
    const values = counted((first ?? second ?? dictionary)?.num_values);
    held.values += values;
    if (held.values > mostValues || held.bytes > mostBytes)
      throw new FormatError(spoken`a row group has more than ${mostValues} values or ${mostBytes / 1e6} MB`);
    if (header.type === 'DICTIONARY_PAGE') continue;
    read += values;
    const unpacked = (bytes: Uint8Array, size: number) => tools.decompressPage(bytes, size, codec, compressors);
    if (header.type === 'DATA_PAGE' && first) {
      const page = unpacked(packed, header.uncompressed_page_size);
      const view = viewOf(page);
      const levels = [repetition, definition].filter((width) => width > 0);
      const from = levels.reduce((at, width) => lengthened(view, at, width, values), 0);
      checkIndices(page.subarray(from), first.encoding, type === 'BOOLEAN', values);
    } else if (header.type === 'DATA_PAGE_V2' && second) {
      const repetitionEnd = counted(second.repetition_levels_byte_length, packed.length);
      const levelsEnd = repetitionEnd + counted(second.definition_levels_byte_length, packed.length - repetitionEnd);
      if (repetition > 0) checkRuns(packed.subarray(0, repetitionEnd), repetition, values);
      if (definition > 0) checkRuns(packed.subarray(repetitionEnd, levelsEnd), definition, values);
      counted(second.num_nulls, values);
      const rest = packed.subarray(levelsEnd);
      const isPacked = second.is_compressed !== false;
      const page = isPacked ? unpacked(rest, counted(header.uncompressed_page_size - levelsEnd)) : rest;
      if (type !== 'BOOLEAN') checkIndices(page, second.encoding, false, values);
      else if (second.encoding === 'RLE') lengthened(viewOf(page), 0, 1, values);
    }
  }
}

/** Returns a number from the file if it is a whole number from 0 to `most`, and throws FormatError otherwise. */
function counted(claimed: number | undefined, most = mostBytes): number {
  if (claimed === undefined || !Number.isInteger(claimed) || claimed < 0 || claimed > most) throw claimsTooMuch();
  return claimed;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The number of bits that a level from 0 to `level` needs. */
const widthOf = (level: number) => 32 - Math.clz32(level);

/** Checks runs whose length in bytes is stored before them. Returns the offset of their end. */
function lengthened(view: DataView, at: number, width: number, values: number): number {
  const end = at + 4 + counted(view.getUint32(at, true), view.byteLength - at - 4);
  checkRuns(new Uint8Array(view.buffer, view.byteOffset + at + 4, end - at - 4), width, values);
  return end;
}

/** Checks a page whose values are stored as indices into a dictionary. */
function checkIndices(page: Uint8Array, encoding: string, isBoolean: boolean, values: number): void {
  if (isBoolean && encoding === 'RLE') lengthened(viewOf(page), 0, 1, values);
  else if (/DICTIONARY$|^RLE$/.test(encoding)) checkRuns(page.subarray(1), page[0] ?? 0, values);
}

/**
 * Throws FormatError if the runs contain more than `values` numbers of `width` bits. Bit-packed numbers are stored in
 * groups of eight.
 */
function checkRuns(bytes: Uint8Array, width: number, values: number): void {
  let at = 0;
  for (let seen = 0; seen < values && at < bytes.length;) {
    let head = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      head |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const isPacked = (head & 1) === 1;
    const count = isPacked ? (head >>> 1) * 8 : head >>> 1;
    if (count > values + 7) throw claimsTooMuch();
    at += isPacked ? Math.ceil((count * width) / 8) : Math.ceil(width / 8);
    seen += count;
  }
}
