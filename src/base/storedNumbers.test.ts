import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areFinite,
  fromHalf,
  isStoredFormat,
  numbersOf,
  storedLayouts,
  storedSize,
  type StoredFormat,
} from './storedNumbers.ts';

/**
 * The bytes of each format, and the float32 numbers into which the Python package `gguf` 0.19.0 converts them, as
 * hexadecimal digits.
 */
const theirs = JSON.parse(readFileSync(path.join(import.meta.dirname, 'testing/storedNumbers.json'), 'utf8')) as Record<
  StoredFormat,
  { bytes: string; values: string }
>;
const formats = Object.keys(storedLayouts) as StoredFormat[];
const unhex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const hex = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex');

describe('numbers of two bytes', () => {
  it.each([
    [0x0000, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x7e00, NaN],
  ])('%i is a binary16 of %f', (bits, value) => {
    expect(fromHalf(bits)).toBe(value);
    expect([...numbersOf('F16', Uint8Array.of(bits & 255, bits >> 8))]).toEqual([Math.fround(value)]);
  });

  it('keeps the sign of zero', () => expect(Object.is(fromHalf(0x8000), -0)).toBe(true));

  it('reads every binary16 as the two formulas of IEEE 754 define', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0x7bff }), (bits) => {
        const [exponent, fraction] = [bits >> 10, (bits & 1023) / 1024];
        const value = exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction);
        expect([fromHalf(bits), fromHalf(bits | 0x8000)]).toEqual([value, -value]);
      }),
    );
  });
});

describe.each(formats)('%s', (format) => {
  const { bytes, values } = theirs[format];

  it('gives the float32 of gguf, bit for bit, from any place in memory', () => {
    expect(hex(numbersOf(format, unhex(bytes)))).toBe(values);
    const moved = new Uint8Array(bytes.length / 2 + 1);
    moved.set(unhex(bytes), 1);
    expect(hex(numbersOf(format, moved.subarray(1)))).toBe(values);
  });

  it('takes the stated number of bytes', () => expect(storedSize(format, values.length / 8)).toBe(bytes.length / 2));

  it('finds numbers that are not finite without decoding them', () => {
    const { bytes: size } = storedLayouts[format];
    fc.assert(
      fc.property(fc.uint8Array({ minLength: size, maxLength: size }), fc.nat({ max: 3 }), (block, wild) => {
        // In every fourth block, all exponent bits are set at one of the positions where a format may store a scale.
        for (const at of wild === 0 ? [1, 3, size - 1] : []) block[Math.min(at, size - 1)] = 0x7c;
        expect(areFinite(format, block)).toBe(numbersOf(format, block).every(Number.isFinite));
      }),
    );
  });
});

it('has no other formats', () => {
  expect(['F32', 'Q6_K'].map(isStoredFormat)).toEqual([true, true]);
  expect(['Q2_K', 'toString', 1].map(isStoredFormat)).toEqual([false, false, false]);
});

it('reads a block of Q4_0 as worked out by hand', () => {
  const block = new Uint8Array(18).fill(0x9f);
  block.set([0x00, 0x38]);
  expect([...numbersOf('Q4_0', block)]).toEqual([...Array<number>(16).fill(3.5), ...Array<number>(16).fill(0.5)]);
});
