// Reads a zip by means of its central directory, so names and sizes are known before anything is unpacked. Unpacking
// stops at the stated size. Zips of more than 4 GB or 65,535 files (zip64) can also be read.
import { FormatError } from '../base/errors.ts';
import { inflateWithin } from '../base/inflate.ts';
import { spoken } from '../base/spoken.ts';

/** A file as listed in the central directory. */
export interface ZipEntry {
  name: string;
  /** The number of bytes after unpacking, as the zip states it. */
  originalSize: number;
}

interface Placed extends ZipEntry {
  method: number;
  packedSize: number;
  /** The offset of the local header of the file. */
  at: number;
}

const signatures = { end: 0x06054b50, end64: 0x06064b50, place64: 0x07064b50, entry: 0x02014b50, head: 0x04034b50 };
const stored = 0;
const deflated = 8;
const longestComment = 65_535;
const endBytes = 22;
const inUtf8 = 0x800;

/**
 * The files of a zip whose names pass the filter. Throws FormatError if the zip is invalid, or if the stated sizes are
 * false.
 */
export function unzipped(bytes: Uint8Array, filter: (entry: ZipEntry) => boolean): Map<string, Uint8Array> {
  const taken = entriesOf(bytes).filter(filter);
  return new Map(taken.map((entry) => [entry.name, contentOf(bytes, entry)]));
}

/** Whether the bytes are a zip that contains a file whose name passes the filter. The zip is not unpacked. */
export function holdsEntry(bytes: Uint8Array, isIt: (name: string) => boolean): boolean {
  try {
    return entriesOf(bytes).some(({ name }) => isIt(name));
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

function entriesOf(bytes: Uint8Array): Placed[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return tableOf(bytes, view);
  } catch (error) {
    // Converts RangeErrors to FormatErrors: DataView throws a RangeError if an offset is beyond the end of the zip.
    if (error instanceof RangeError) throw noZip(spoken`the zip refers to data beyond its end`);
    throw error;
  }
}

function tableOf(bytes: Uint8Array, view: DataView): Placed[] {
  const { count, from } = placeOfTable(view);
  const entries: Placed[] = [];
  let at = from;
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== signatures.entry) throw noZip(spoken`the table of contents is damaged`);
    const nameFrom = at + 46;
    const nameTo = nameFrom + view.getUint16(at + 28, true);
    const extraTo = nameTo + view.getUint16(at + 30, true);
    if (extraTo > bytes.length) throw noZip(spoken`the zip refers to data beyond its end`);
    const isUtf8 = (view.getUint16(at + 8, true) & inUtf8) !== 0;
    entries.push({
      name: new TextDecoder(isUtf8 ? 'utf-8' : 'latin1').decode(bytes.subarray(nameFrom, nameTo)),
      method: view.getUint16(at + 10, true),
      ...sizesOf(view, at, { from: nameTo, to: extraTo }),
    });
    at = extraTo + view.getUint16(at + 32, true);
  }
  return entries;
}

/** The number of files, and the offset of the central directory. */
function placeOfTable(view: DataView): { count: number; from: number } {
  const least = Math.max(0, view.byteLength - endBytes - longestComment);
  for (let at = view.byteLength - endBytes; at >= least; at--) {
    if (view.getUint32(at, true) !== signatures.end) continue;
    const [count, from] = [view.getUint16(at + 10, true), view.getUint32(at + 16, true)];
    const isLarge = count === 0xffff || from === 0xffffffff;
    if (!isLarge || at < 20 || view.getUint32(at - 20, true) !== signatures.place64) return { count, from };
    const end64 = whole64(view, at - 12);
    if (view.getUint32(end64, true) !== signatures.end64) throw noZip(spoken`the table of contents is damaged`);
    return { count: whole64(view, end64 + 32), from: whole64(view, end64 + 48) };
  }
  throw noZip(spoken`there is no table of contents`);
}

/** Reads the sizes and the offset of an entry. Numbers above 32 bits are stored after the name of the entry (zip64). */
function sizesOf(view: DataView, at: number, extra: { from: number; to: number }) {
  const sizes = {
    packedSize: view.getUint32(at + 20, true),
    originalSize: view.getUint32(at + 24, true),
    at: view.getUint32(at + 42, true),
  };
  for (let field = extra.from; field + 4 <= extra.to; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue;
    let next = field + 4;
    for (const name of ['originalSize', 'packedSize', 'at'] as const)
      if (sizes[name] === 0xffffffff) {
        sizes[name] = whole64(view, next);
        next += 8;
      }
  }
  return sizes;
}

const whole64 = (view: DataView, at: number): number => {
  const value = Number(view.getBigUint64(at, true));
  if (!Number.isSafeInteger(value)) throw noZip(spoken`the zip refers to data beyond its end`);
  return value;
};

function contentOf(bytes: Uint8Array, { name, method, packedSize, originalSize, at }: Placed): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (at + 30 > bytes.length || view.getUint32(at, true) !== signatures.head)
    throw noZip(spoken`the table of contents is damaged`);
  const from = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (from + packedSize > bytes.length) throw noZip(spoken`the zip refers to data beyond its end`);
  const packed = bytes.subarray(from, from + packedSize);
  const lies = () =>
    new FormatError(
      spoken`the archive: the size of ${JSON.stringify(name.slice(0, 80))} is given as ${originalSize} bytes, but the file has a different size; the archive is damaged or malicious.`,
    );
  // A stored file is copied, so that it does not share memory with the zip, just like an unpacked file.
  if (method === stored) {
    if (packedSize !== originalSize) throw lies();
    return packed.slice();
  }
  if (method !== deflated) throw noZip(spoken`the compression method is not supported`);
  const content = inflated(packed, originalSize);
  if (content?.length !== originalSize) throw lies();
  return content;
}

function inflated(packed: Uint8Array, most: number): Uint8Array | null {
  try {
    return inflateWithin(packed, most);
  } catch (error) {
    throw noZip((error as Error).message);
  }
}

const noZip = (why: string) => new FormatError(spoken`the archive: expected a zip (${why}); is the file complete?`);
