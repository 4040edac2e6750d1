// A visitor's result of a claim as a code of twelve characters, which can be read aloud and typed. The code contains the
// end of the claim's digest, the seed, the values of both arms, and a checksum of eight bits. Its 32 characters are
// those of Crockford's base 32, which leaves out the letters I, L, O and U.
import { FormatError } from '../base/errors.ts';
import { quoted } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { measures, rounded, type MeasureName } from '../records/claims/measures.ts';
import type { ClaimResult } from '../records/claims/result.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 12;
/** Characters that people write instead of a character of the alphabet. */
const lookalikes: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };

/** The fields of a code, from the first to the last, with their numbers of bits. A checksum of eight bits follows. */
const bits = { claim: 12, seed: 12, first: 14, second: 14 } as const;
const checkBits = 8;
type Fields = Record<keyof typeof bits, number>;

/** A claim to which a code may belong. */
export interface CodedClaim {
  /** The name of the claim. */
  claim: string;
  digest: string;
  measuredBy: MeasureName;
}

/** The last twelve bits of a digest. */
const claimBits = (digest: string) => Number.parseInt(digest.slice(-3), 16);

/** The number that stands for a value in a code; null if the value is outside the bounds of its measure. */
function numberOf(value: number, measuredBy: MeasureName): number | null {
  const [low, high] = measures[measuredBy].bounds;
  const number = Math.round(((value - low) / (high - low)) * (2 ** bits.first - 1));
  return number >= 0 && number < 2 ** bits.first ? number : null;
}

function valueOf(number: number, measuredBy: MeasureName): number {
  const [low, high] = measures[measuredBy].bounds;
  return rounded(low + (number / (2 ** bits.first - 1)) * (high - low));
}

/** The checksum: CRC-8 with the polynomial x⁸ + x² + x + 1 over seven bytes, the highest byte first. */
function checksum(payload: bigint): bigint {
  let crc = 0;
  for (let byte = 6; byte >= 0; byte--) {
    crc ^= Number((payload >> BigInt(8 * byte)) & 0xffn);
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff;
  }
  return BigInt(crc);
}

function pack(fields: Fields): string {
  const names = Object.keys(bits) as (keyof Fields)[];
  const payload = names.reduce((packed, name) => (packed << BigInt(bits[name])) | BigInt(fields[name]), 0n);
  const all = (payload << BigInt(checkBits)) | checksum(payload);
  const digits = Array.from({ length }, (_, at) => alphabet[Number((all >> BigInt(5 * (length - 1 - at))) & 31n)]);
  return digits.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** The fields of a packed code; null if the checksum does not agree. */
function unpack(code: string): Fields | null {
  const all = [...code].reduce((packed, digit) => (packed << 5n) | BigInt(alphabet.indexOf(digit)), 0n);
  const payload = all >> BigInt(checkBits);
  if (checksum(payload) !== (all & 0xffn)) return null;
  let rest = payload;
  const fields: Partial<Fields> = {};
  for (const name of (Object.keys(bits) as (keyof Fields)[]).reverse()) {
    fields[name] = Number(rest & ((1n << BigInt(bits[name])) - 1n));
    rest >>= BigInt(bits[name]);
  }
  return fields as Fields;
}

/**
 * The code of a result, such as `7Q2K-04MD-91XA`; null if the seed or a value is too large for a code. The values of
 * measures between 0 and 1 are exact to four decimals.
 */
export function writeResultCode(
  { digest, seed, values }: Pick<ClaimResult, 'digest' | 'seed' | 'values'>,
  measuredBy: MeasureName,
): string | null {
  const [first, second] = values.map((value) => numberOf(value, measuredBy));
  if (first == null || second == null || seed >= 2 ** bits.seed) return null;
  return pack({ claim: claimBits(digest), seed, first, second });
}

/**
 * Reads a typed code. Upper and lower case, hyphens and spaces make no difference, and O, I and L are read as digits.
 * Throws FormatError if the code has another length, a wrong character or a wrong checksum, or if none of the claims
 * belongs to it.
 */
export function readResultCode(text: string, claims: readonly CodedClaim[]): ClaimResult {
  const typed = text.toUpperCase().replaceAll(/[\s-]/g, '');
  const code = [...typed].map((sign) => lookalikes[sign] ?? sign).join('');
  const strange = [...code].find((sign) => !alphabet.includes(sign));
  if (strange !== undefined)
    throw new FormatError(spoken`the code: expected only letters and digits without U, got ${quoted(strange)}.`);
  if (code.length !== length)
    throw new FormatError(spoken`the code: expected ${length} letters and digits, got ${code.length}.`);
  const fields = unpack(code);
  if (!fields) throw new FormatError(spoken`the code ${quoted(text.trim())} has a wrong character; type it again.`);
  const known = claims.find(({ digest }) => claimBits(digest) === fields.claim);
  if (!known)
    throw new FormatError(
      spoken`the code belongs to a claim that is not on this page; the code may come from another version of Cothink.`,
    );
  const { claim, digest, measuredBy } = known;
  return {
    ...{ claim, digest, seed: fields.seed, backend: 'code' },
    values: [valueOf(fields.first, measuredBy), valueOf(fields.second, measuredBy)],
  };
}
