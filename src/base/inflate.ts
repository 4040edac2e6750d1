// Decompression piece by piece, up to a limit: a file's stated size is never trusted, and a file that exceeds the limit
// costs no more than a piece.
import { Gunzip, Inflate } from 'fflate';
import { joinedBytes } from './joined.ts';

/** Unpacks the bytes that it receives and passes the parts on. */
interface Unpacker {
  push: (packed: Uint8Array, isLast: boolean) => void;
}

/** Packed bytes per step: each byte unpacks to at most a thousand bytes, so little is unpacked beyond the limit. */
const step = 16_384;

/** Null if there are more than `most` bytes. Throws the unpacker's error if the bytes are damaged. */
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

/** For bare deflate, the format inside zip files. */
export const inflateWithin = (packed: Uint8Array, most: number) =>
  unpackWithin(packed, most, (hear) => new Inflate(hear));
