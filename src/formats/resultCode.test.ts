// Tests of the codes of results: exact values, typing errors, and claims that share no end of a digest.
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import type { ClaimRecord } from '../records/claims/claimRecord.ts';
import { measureNames, measures, rounded } from '../records/claims/measures.ts';
import { readResultCode, writeResultCode, type CodedClaim } from './resultCode.ts';
import { claimDigest } from './resultFile.ts';

const digest = `${'0'.repeat(61)}ab5`;
const claim: CodedClaim = { claim: 'collapse', digest, measuredBy: 'accuracy' };
const written = (seed: number, values: [number, number]) =>
  writeResultCode({ digest, seed, values }, 'accuracy') as string;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

it('a hand-worked code is written and read', () => {
  // The claim: 0xab5 in twelve bits. Seed 100: 64 + 32 + 4. The values 0 and 1: fourteen zeros and fourteen ones. The
  // checksum is the remainder of a long division.
  const payload = `101010110101000001100100${'0'.repeat(14)}${'1'.repeat(14)}`;
  const bits = payload + dividedBy('100000111', payload);
  const digits = (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('');
  expect(written(100, [0, 1])).toBe(`${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8)}`);
  expect(readResultCode(digits, [claim])).toEqual({
    ...{ claim: 'collapse', digest, seed: 100, backend: 'code' },
    values: [0, 1],
  });
});

/** The remainder of a polynomial over two elements, as bits. Both polynomials are written as bits. */
function dividedBy(divisor: string, dividend: string): string {
  const degree = divisor.length - 1;
  const rest = [...dividend, ...'0'.repeat(degree)].map(Number);
  for (let at = 0; at < dividend.length; at++)
    if (rest[at] === 1) [...divisor].forEach((bit, i) => (rest[at + i] = (rest[at + i] as number) ^ Number(bit)));
  return rest.slice(-degree).join('');
}

const seeds = fc.integer({ min: 0, max: 2 ** 12 - 1 });
const shares = fc.integer({ min: 0, max: 10_000 }).map((x) => rounded(x / 10_000));

it('a code gives the seed and both values to four decimals, however it is typed', () => {
  fc.assert(
    fc.property(seeds, shares, shares, (seed, first, second) => {
      const code = written(seed, [first, second]);
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
      const typings = [code, code.toLowerCase(), ` ${code.replaceAll('-', ' ')} `, code.replaceAll('0', 'o')];
      for (const typed of [...typings, code.replaceAll('1', 'l')])
        expect(readResultCode(typed, [claim])).toMatchObject({ seed, values: [first, second] });
    }),
  );
});

it.each(measureNames)('rounding the measure %s costs less than a tenth of its least difference', (measuredBy) => {
  const [low, high] = measures[measuredBy].bounds;
  fc.assert(
    fc.property(fc.double({ min: low, max: high, noNaN: true }), (value) => {
      const code = writeResultCode({ digest, seed: 1, values: [value, low] }, measuredBy) as string;
      const { values } = readResultCode(code, [{ ...claim, measuredBy }]);
      expect(Math.abs(values[0] - value)).toBeLessThan(measures[measuredBy].least / 10);
    }),
  );
  expect(writeResultCode({ digest, seed: 1, values: [high + 1, low] }, measuredBy)).toBeNull();
  expect(writeResultCode({ digest, seed: 1, values: [low - 1, low] }, measuredBy)).toBeNull();
});

it('one wrong character is always refused', () => {
  fc.assert(
    fc.property(seeds, shares, fc.nat({ max: 11 }), fc.nat({ max: 31 }), (seed, value, at, other) => {
      const code = written(seed, [value, 0.5]).replaceAll('-', '');
      const sign = alphabet[other] as string;
      fc.pre(code[at] !== sign);
      expect(() => readResultCode(code.slice(0, at) + sign + code.slice(at + 1), [claim])).toThrow(
        /has a wrong character; type it again\.$/,
      );
    }),
  );
});

it('two swapped characters are refused, except in few codes', () => {
  const swaps = Array.from({ length: 2_000 }, (_, seed) => {
    const code = written(seed, [(seed % 101) / 101, 0.25]).replaceAll('-', '');
    const at = seed % 11;
    return { code, swapped: code.slice(0, at) + code[at + 1] + code[at] + code.slice(at + 2) };
  }).filter(({ code, swapped }) => code !== swapped);
  const missed = swaps.filter(({ swapped }) => {
    try {
      return readResultCode(swapped, [claim]) !== undefined;
    } catch (thrown) {
      return !(thrown instanceof FormatError);
    }
  });
  expect(missed.length / swaps.length).toBeLessThan(0.01);
});

it.each([
  ['', /^the code: expected 12 letters and digits, got 0\.$/],
  ['7Q2K-04MD', /^the code: expected 12 letters and digits, got 8\.$/],
  ['7Q2K-04MD-91XU', /^the code: expected only letters and digits without U, got "U"\.$/],
  ['7Q2K-04MD-91X!', /^the code: expected only letters and digits without U, got "!"\.$/],
])('the code “%s” is refused', (code, message) => {
  expect(() => readResultCode(code, [claim])).toThrow(message);
});

it('a code of another claim is refused, and a too large seed has no code', () => {
  const code = written(5, [0.5, 0.5]);
  expect(() => readResultCode(code, [{ ...claim, digest: `${digest.slice(1)}0` }])).toThrow(
    /^the code belongs to a claim/,
  );
  expect(writeResultCode({ digest, seed: 2 ** 12, values: [0, 0] }, 'accuracy')).toBeNull();
});

it('the claims of the page have digests with different ends', () => {
  const { rows } = JSON.parse(readFileSync('bench/results/claims.json', 'utf8')) as { rows: ClaimRecord[] };
  const found = rows.flatMap((row) => claimDigest(row) ?? []);
  expect(found.length).toBeGreaterThan(20);
  expect(new Set(found.map((one) => one.slice(-3))).size).toBe(new Set(found).size);
});
