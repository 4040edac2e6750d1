// Writes text into a PNG file, as an iTXt chunk (ISO/IEC 15948, 11.3.4.5) in UTF-8, uncompressed, directly after the
// header.
import { FormatError } from '../../../base/errors.ts';
import { joinedBytes } from '../../../base/joined.ts';

const encoder = new TextEncoder();
const signature = [137, 80, 78, 71, 13, 10, 26, 10];
/** The position after the signature (8 bytes) and the header chunk (length, type, thirteen bytes and checksum). */
const headerEnd = 8 + 4 + 4 + 13 + 4;

/**
 * Adds a text to a PNG file. The keyword of the text must have 1 to 79 ASCII letters. Throws FormatError if the bytes
 * are not a PNG file.
 */
export function pngWithText(png: Uint8Array, keyword: string, text: string): Uint8Array<ArrayBuffer> {
  if (png.length < headerEnd || signature.some((byte, i) => png[i] !== byte))
    throw new FormatError(
      'png: the bytes must begin with the signature and the header of a PNG file; draw the picture before the text is added.',
    );
  // The zeros after the keyword mean: end of the keyword, no compression, compression method 0, an empty language, and
  // an empty translated keyword.
  const content = joinedBytes([encoder.encode(keyword), [0, 0, 0, 0, 0], encoder.encode(text)]);
  return joinedBytes([png.subarray(0, headerEnd), chunk('iTXt', content), png.subarray(headerEnd)]);
}

/** A chunk: the length of its content, its type, its content, and the checksum of type and content. */
function chunk(type: string, content: Uint8Array): Uint8Array {
  const checked = joinedBytes([encoder.encode(type), content]);
  return joinedBytes([bigEndian(content.length), checked, bigEndian(crc32(checked))]);
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** The checksum of PNG and zip (ISO 3309). */
export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 255] as number);
  return (crc ^ 0xffffffff) >>> 0;
}
