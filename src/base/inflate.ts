// Decompression in pieces, up to a limit. The size that a file states is never trusted. If the data exceed the limit,
// at most one additional piece is unpacked.
import { Gunzip, Inflate } from 'fflate';
import { joinedBytes } from './joined.ts';

/** Unpacks the bytes that it receives and passes the unpacked parts to a callback. */
interface Unpacker {
  push: (packed: Uint8Array, isLast: boolean) => void;
}

/**
 * Packed bytes per step. One packed byte becomes at most about a thousand bytes, so a step exceeds the limit only
 * slightly.
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

/** For a gzip. */
export const gunzipWithin = (packed: Uint8Array, most: number) =>
  unpackWithin(packed, most, (hear) => new Gunzip(hear));

/** Unpacks bare deflate, the format used inside zip files. */
export const inflateWithin = (packed: Uint8Array, most: number) =>
  unpackWithin(packed, most, (hear) => new Inflate(hear));
