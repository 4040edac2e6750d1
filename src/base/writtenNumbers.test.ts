import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHalf, numbersOf } from './storedNumbers.ts';
import { canSay, toHalf, writtenAs } from './writtenNumbers.ts';

const sample = { numRuns: 300, seed: 1 };
const floats = fc.float({ noNaN: true, noDefaultInfinity: true });

describe('a number of binary16', () => {
  it('is the number that was read, for all of them', () => {
    for (let bits = 0; bits < 2 ** 16; bits++) {
      const value = fromHalf(bits);
      if (!Number.isNaN(value)) expect(toHalf(value)).toBe(bits);
    }
    expect(Number.isNaN(fromHalf(toHalf(NaN)))).toBe(true);
  });

  it('is the nearest one, and the even one of two equally near', () => {
    // 1 + 2⁻¹¹ lies halfway between 1 and the next binary16 number, and 2⁻²⁵ halfway between 0 and the smallest
    // positive one.
    expect([1 + 2 ** -11, 1 + 3 * 2 ** -11, 2 ** -25, 3 * 2 ** -25].map(toHalf)).toEqual([0x3c00, 0x3c02, 0, 2]);
    expect([65_504, 65_519, 65_520, -1e9].map(toHalf)).toEqual([0x7bff, 0x7bff, 0x7c00, 0xfc00]);
    fc.assert(
      fc.property(fc.float({ min: -65_504, max: 65_504, noNaN: true }), (value) => {
        const bits = toHalf(value);
        const away = Math.abs(fromHalf(bits) - value);
        for (const other of [bits - 1, bits + 1])
          if ((other & 0x7fff) <= 0x7bff) expect(Math.abs(fromHalf(other) - value)).toBeGreaterThanOrEqual(away);
      }),
      sample,
    );
  });

  it('is at most 65,504, and a larger number is reported in advance', () => {
    expect(canSay('F16', Float32Array.of(1, -65_504))).toBe(true);
    expect(canSay('F16', Float32Array.of(1, 65_505))).toBe(false);
    expect([canSay('F32', Float32Array.of(1e30)), canSay('Q8_0', Float32Array.of(1e5))]).toEqual([true, true]);
  });
});

describe('a block of Q8_0', () => {
  it('worked by hand: the scale is a 127th of the largest, halves go away from zero', () => {
    const values = new Float32Array(32);
    values.set([127, -127, 0.5, -0.5, 1.49, -2.5, 126.5]);
    const bytes = writtenAs('Q8_0', values);
    expect([...bytes.subarray(0, 10)]).toEqual([0x00, 0x3c, 127, 129, 1, 255, 1, 253, 127, 0]);
    expect(bytes.slice(10).every((byte) => byte === 0)).toBe(true);
    expect(writtenAs('Q8_0', new Float32Array(32)).every((byte) => byte === 0)).toBe(true);
  });

  it('is read with an error of at most half a scale', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ min: -9, max: 9, noNaN: true }), { minLength: 64, maxLength: 64 }), (list) => {
        const values = Float32Array.from(list);
        const bytes = writtenAs('Q8_0', values);
        const back = numbersOf('Q8_0', bytes);
        for (const block of [0, 32]) {
          const largest = Math.max(...values.subarray(block, block + 32).map(Math.abs));
          // The scale itself is also rounded to binary16.
          for (let i = block; i < block + 32; i++)
            expect(Math.abs((back[i] as number) - (values[i] as number))).toBeLessThanOrEqual(
              largest * (0.5 / 127 + 2 ** -10) + 4e-6,
            );
        }
      }),
      sample,
    );
  });
});

it('float32 are their own bytes, as memory of their own', () => {
  fc.assert(
    fc.property(fc.array(floats, { minLength: 1, maxLength: 20 }), (list) => {
      const values = Float32Array.from(list);
      const bytes = writtenAs('F32', values);
      expect(numbersOf('F32', bytes)).toEqual(values);
      expect(bytes.buffer).not.toBe(values.buffer);
    }),
    sample,
  );
});
