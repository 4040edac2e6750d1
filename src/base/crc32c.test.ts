import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.ts';

/** Computes the checksum bit by bit, as a division of polynomials. */
function byBits(bytes: Uint8Array): number {
  let rest = 0xffffffffn;
  for (const byte of bytes) {
    rest ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) rest = rest & 1n ? (rest >> 1n) ^ 0x82f63b78n : rest >> 1n;
  }
  return Number(rest ^ 0xffffffffn);
}

describe('CRC-32C', () => {
  it('gives the numbers of RFC 3720', () => {
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.of())).toBe(0);
  });

  it('agrees with a division bit by bit, wherever the bytes lie and in whatever pieces they come', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 }), (pieces) => {
        const whole = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
        const shifted = new Uint8Array([7, ...whole]).subarray(1);
        expect(crc32c(shifted)).toBe(byBits(whole));
        expect(pieces.reduce((crc, piece) => crc32c(piece, crc), 0)).toBe(byBits(whole));
      }),
    );
  });

  it('finds whatever differs within 32 bits in a row', () => {
    const changed = fc.record({
      bytes: fc.uint8Array({ minLength: 8, maxLength: 60 }),
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    });
    fc.assert(
      fc.property(changed, ({ bytes, at, by }) => {
        const damaged = bytes.slice();
        const view = new DataView(damaged.buffer);
        const place = at % (bytes.length - 3);
        view.setUint32(place, (view.getUint32(place) ^ by) >>> 0);
        expect(crc32c(damaged)).not.toBe(crc32c(bytes));
      }),
    );
  });
});
