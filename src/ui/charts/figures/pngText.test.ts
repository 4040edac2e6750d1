import fc from 'fast-check';
import { crc32 as ofNode } from 'node:zlib';
import { expect, it } from 'vitest';
import { crc32, pngWithText } from './pngText.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

it('the checksum is that of ISO 3309, as in the PNG specification', () => {
  expect(crc32(bytesOf('123456789'))).toBe(0xcbf43926);
  expect(crc32(bytesOf('IEND'))).toBe(0xae426082);
  fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32(bytes) === ofNode(bytes)));
});

it('a text is an iTXt chunk after the header, byte by byte as in the specification', () => {
  const header = [
    137,
    80,
    78,
    71,
    13,
    10,
    26,
    10,
    0,
    0,
    0,
    13,
    ...bytesOf('IHDR'),
    ...Array.from({ length: 17 }, (_, i) => i),
  ];
  const content = [...bytesOf('iTXt'), 0x6b, 0, 0, 0, 0, 0, 0xc3, 0xa9];
  const checksum = ofNode(Uint8Array.from(content));
  const sum = [24, 16, 8, 0].map((shift) => (checksum >>> shift) & 255);
  const png = pngWithText(Uint8Array.from([...header, 1, 2, 3]), 'k', 'é');
  expect([...png]).toEqual([...header, 0, 0, 0, 8, ...content, ...sum, 1, 2, 3]);
});

it('bytes that are not a PNG are refused', () => {
  expect(() => pngWithText(bytesOf('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'k', '')).toThrow(
    'png: the bytes must begin with the signature and the header of a PNG file',
  );
});
