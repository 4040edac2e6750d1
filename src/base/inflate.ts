// Decompression piece by piece, up to a limit: a file's stated size is never trusted, and a file that exceeds the limit
// costs no more than a piece.
import { Gunzip, Inflate } from 'fflate';
import { joinedBytes } from './joined.ts';

/** Unpacks what it is given and hands the parts on. */
interface Unpacker {
  push: (packed: Uint8Array, isLast: boolean) => void;
}

/** Packed bytes a step: each grows by a thousand at most, so little is unpacked beyond the bound. */
const step = 16_384;

/** Null where there are more than `most` bytes. Throws what the unpacker does for damaged ones. */
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

/** For bare deflate, as zips have it. */
export const inflateWithin = (packed: Uint8Array, most: number) =>
  unpackWithin(packed, most, (hear) => new Inflate(hear));
