import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FormatError } from './errors.ts';
import { readUtf8, wideEncodingOf } from './utf8.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const wide = (text: string, isBig: boolean, hasMark: boolean) =>
  Uint8Array.from(
    [...(hasMark ? '\uFEFF' : ''), ...text].flatMap((sign) => {
      const code = sign.charCodeAt(0);
      return isBig ? [code >> 8, code & 255] : [code & 255, code >> 8];
    }),
  );

it('a text in UTF-8 is read unchanged without its byte order mark, also a real U+FFFD', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(!text.startsWith('\uFEFF') && !text.includes('\0'));
      expect(readUtf8(bytesOf(text), 'a')).toBe(text);
      expect(readUtf8(bytesOf(`\uFEFF${text}`), 'a')).toBe(text);
    }),
  );
  expect(readUtf8(bytesOf('a \uFFFD b'), 'a')).toBe('a \uFFFD b');
});

it.each([true, false])('UTF-16 is named, with a mark or without (high byte first: %s)', (isBig) => {
  for (const hasMark of [true, false]) {
    const bytes = wide('{"question": "How many?"}', isBig, hasMark);
    expect(() => readUtf8(bytes, 'rows.jsonl')).toThrow(FormatError);
    expect(() => readUtf8(bytes, 'rows.jsonl')).toThrow(
      'rows.jsonl: expected a text in UTF-8, got UTF-16; save it again',
    );
  }
});

it('bytes of another encoding are refused with the line, also in the middle of a character', () => {
  const latin = Uint8Array.from([0x61, 0x0a, 0x5a, 0x6f, 0xeb, 0x0a, 0x62]);
  expect(() => readUtf8(latin, 'a.txt')).toThrow(/^a\.txt: line 2: the text is not written in UTF-8/);
  expect(() => readUtf8(Uint8Array.from([0x61, 0xc3]), 'a.txt')).toThrow(/^a\.txt: line 1: /);
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      try {
        expect(bytesOf(readUtf8(bytes, 'a')).length).toBeGreaterThanOrEqual(bytes.length - 3);
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }),
  );
});

it('a few bytes and a table with zeros are not taken for UTF-16', () => {
  expect([bytesOf(''), bytesOf('a'), Uint8Array.from([80, 65, 82, 49, 21, 0, 0, 21])].map(wideEncodingOf)).toEqual([
    null,
    null,
    null,
  ]);
});
