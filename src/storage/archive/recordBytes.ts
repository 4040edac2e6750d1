// One record as a file: a magic number, the SHA-256 of the rest, and the record as MessagePack. The names of fields are
// sorted, so that equal records give equal files. The extension types of MessagePack are used for arrays: 1 for
// Float32Array, 2 for Float64Array and 3 for Uint16Array. Each contains the array's bytes in little-endian order.
import { decode, encode, ExtensionCodec } from '@msgpack/msgpack';
import { StorageError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { Sha256 } from '../../base/sha256.ts';

const mark = new TextEncoder().encode('cothink1');
const digestBytes = 32;

type Numbers = Float32Array | Float64Array | Uint16Array;
const kinds: readonly { of: (bytes: ArrayBuffer) => Numbers; is: (value: unknown) => boolean }[] = [
  { of: (bytes) => new Float32Array(bytes), is: (value) => value instanceof Float32Array },
  { of: (bytes) => new Float64Array(bytes), is: (value) => value instanceof Float64Array },
  { of: (bytes) => new Uint16Array(bytes), is: (value) => value instanceof Uint16Array },
];

const extensionCodec = new ExtensionCodec();
for (const [index, { of, is }] of kinds.entries())
  extensionCodec.register({
    type: index + 1,
    encode: (value) => {
      if (!is(value)) return null;
      const { buffer, byteOffset, byteLength } = value as Numbers;
      return new Uint8Array(buffer, byteOffset, byteLength);
    },
    // The bytes are copied, because a typed array must start at a multiple of its element size, but the numbers in the
    // file may start at any position.
    decode: (bytes) => of(bytes.slice().buffer),
  });

/** Converts a record of plain data to the bytes of a file; undefined fields are left out. */
export function writeRecord(record: unknown): Uint8Array<ArrayBuffer> {
  const body = encode(record, { extensionCodec, sortKeys: true, ignoreUndefined: true });
  const bytes = new Uint8Array(mark.length + digestBytes + body.length);
  bytes.set(mark);
  bytes.set(digestOf(body), mark.length);
  bytes.set(body, mark.length + digestBytes);
  return bytes;
}

/**
 * Reads the record in a file. The fields of the record are checked elsewhere (validate.ts). Throws StorageError if the
 * file is incomplete.
 */
export function readRecord(bytes: Uint8Array, what: string): unknown {
  if (mark.some((sign, i) => bytes[i] !== sign))
    throw new StorageError(spoken`${what}: this is not a file that Cothink wrote.`);
  const body = bytes.subarray(mark.length + digestBytes);
  const isWhole = digestOf(body).every((byte, i) => byte === bytes[mark.length + i]);
  if (!isWhole)
    throw new StorageError(spoken`${what}: the checksum does not match, so the file is damaged; use another copy.`);
  try {
    // An item takes at least one byte, so a list cannot have more items than there are bytes left.
    const most = body.length;
    return decode(body, { extensionCodec, maxArrayLength: most, maxMapLength: most });
  } catch (cause) {
    throw new StorageError(spoken`${what}: expected MessagePack (${(cause as Error).message}); the file is damaged.`);
  }
}

function digestOf(body: Uint8Array): Uint8Array {
  const digest = new Sha256();
  digest.add(body);
  return Uint8Array.from(digest.hex().match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
