// Decompresses data in pieces, up to a limit. The uncompressed size that is stored in a file is never trusted. If the
// data exceed the limit, decompression stops after the piece that exceeds it.
import { Gunzip, Inflate } from 'fflate';
import { joinedBytes } from './joined.ts';

/** Receives packed bytes with `push` and passes the unpacked bytes to a callback. */
interface Unpacker {
  push: (packed: Uint8Array, isLast: boolean) => void;
}

/**
 * Packed bytes per step. A packed byte becomes at most about a thousand bytes, so a step exceeds the limit by about 16
 * MB at most.
 */
const step = 16_384;

/** The unpacked bytes; null if there are more than `most`. Throws the unpacker's error if the bytes are damaged. */
export function unpackWithin(
  packed: Uint8Array,
  most: number,
  open: (hear: (part: Uint8Array) => void) => Unpacker,
): Uint8Array | null {
  const parts: Uint8Array[] = [];
  let size = 0;
  const unpacker = open((part) => {
    size += part.length;
    if (size <= most) parts.push(part);
  });
  for (let at = 0; at < packed.length && size <= most; at += step)
    unpacker.push(packed.subarray(at, at + step), at + step >= packed.length);
  return size > most ? null : joinedBytes(parts);
}

/** Unpacks gzip data. */
export const gunzipWithin = (packed: Uint8Array, most: number) =>
  unpackWithin(packed, most, (hear) => new Gunzip(hear));

/** Unpacks deflate data without a header, as in zip files. */
export const inflateWithin = (packed: Uint8Array, most: number) =>
  unpackWithin(packed, most, (hear) => new Inflate(hear));
