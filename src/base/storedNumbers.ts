// Numbers as they are stored in weight files. They are stored one by one (F32, F16, BF16), or in blocks with one or
// several scales, in the layout of ggml (ggml-common.h of llama.cpp). A matrix is kept in its stored form until its
// numbers are needed.

/** The layout of a block of numbers. */
interface StoredLayout {
  /** Numbers in a block. */
  count: number;
  /** Bytes of a block. */
  bytes: number;
  /**
   * The offsets of the binary16 numbers in a block; there may be none. Only these numbers can be infinite or NaN; the
   * other parts of a block always encode finite numbers.
   */
  halves: readonly number[];
  /**
   * Decodes whole blocks and writes their numbers to `into`, which has exactly as many elements as the blocks have
   * numbers.
   */
  read: (bytes: Uint8Array, into: Float32Array) => void;
}

const halfValues = { table: null as Float32Array | null };

/**
 * The value of an IEEE 754 binary16 number, which has a sign, 5 bits of exponent biased by 15, and 10 bits of fraction.
 */
export function fromHalf(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** The values of all 65,536 binary16 numbers. Looking up a value is several times as fast as computing it. */
const halves = (): Float32Array =>
  (halfValues.table ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => fromHalf(bits)));

/** The bytes as 16-bit words. The bytes are copied if their offset in memory is odd. */
const words16 = (bytes: Uint8Array) =>
  bytes.byteOffset % 2 === 0
    ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
    : new Uint16Array(bytes.slice().buffer);

function readHalves(bytes: Uint8Array, into: Float32Array): void {
  const [table, bits] = [halves(), words16(bytes)];
  for (let i = 0; i < into.length; i++) into[i] = table[bits[i] as number] as number;
}

/** bfloat16 is the upper half of a float32. */
function readBrain(bytes: Uint8Array, into: Float32Array): void {
  const [bits, whole] = [words16(bytes), new Uint32Array(into.buffer, into.byteOffset, into.length)];
  for (let i = 0; i < whole.length; i++) whole[i] = (bits[i] as number) << 16;
}

/**
 * Makes a function that decodes one block after another. `read` receives the offset of a block and the offset at which
 * its numbers are written.
 */
const eachBlock =
  (count: number, size: number, read: (bytes: Uint8Array, at: number, into: Float32Array, to: number) => void) =>
  (bytes: Uint8Array, into: Float32Array): void => {
    for (let at = 0, to = 0; to < into.length; at += size, to += count) read(bytes, at, into, to);
  };

const byteAt = (bytes: Uint8Array, at: number) => bytes[at] as number;
const signedAt = (bytes: Uint8Array, at: number) => (byteAt(bytes, at) << 24) >> 24;
const halfAt = (bytes: Uint8Array, at: number) => halves()[byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8)] as number;

/**
 * A block of 32 numbers of 4 bits each. The lower bits of the 16 bytes hold the first 16 numbers, and the upper bits
 * hold the last 16. Each number is decreased by 8 and multiplied by a scale.
 */
const readQ40 = eachBlock(32, 18, (bytes, at, into, to) => {
  const scale = halfAt(bytes, at);
  for (let i = 0; i < 16; i++) {
    const pair = byteAt(bytes, at + 2 + i);
    into[to + i] = scale * ((pair & 15) - 8);
    into[to + 16 + i] = scale * ((pair >> 4) - 8);
  }
});

/**
 * Like `readQ40`, but 8 is not subtracted, and a minimum is added after the scaling. As in ggml's float32 arithmetic,
 * products are rounded before the minimum is added.
 */
const readQ41 = eachBlock(32, 20, (bytes, at, into, to) => {
  const [scale, least] = [halfAt(bytes, at), halfAt(bytes, at + 2)];
  for (let i = 0; i < 16; i++) {
    const pair = byteAt(bytes, at + 4 + i);
    into[to + i] = Math.fround(scale * (pair & 15)) + least;
    into[to + 16 + i] = Math.fround(scale * (pair >> 4)) + least;
  }
});

/**
 * A block of 32 numbers of 5 bits each, whose highest bits are stored separately. Each number is decreased by 16 and
 * multiplied by a scale.
 */
const readQ50 = eachBlock(32, 22, (bytes, at, into, to) => {
  const scale = halfAt(bytes, at);
  for (let i = 0; i < 16; i++) {
    const pair = byteAt(bytes, at + 6 + i);
    const first = (byteAt(bytes, at + 2 + (i >> 3)) >> (i & 7)) & 1;
    const second = (byteAt(bytes, at + 4 + (i >> 3)) >> (i & 7)) & 1;
    into[to + i] = scale * (((pair & 15) | (first << 4)) - 16);
    into[to + 16 + i] = scale * (((pair >> 4) | (second << 4)) - 16);
  }
});

/** 32 signed bytes times a scale. */
const readQ80 = eachBlock(32, 34, (bytes, at, into, to) => {
  const scale = halfAt(bytes, at);
  for (let i = 0; i < 32; i++) into[to + i] = scale * signedAt(bytes, at + 2 + i);
});

/**
 * A block of 8 groups of 32 numbers of 4 bits each. Each group has a scale and a minimum of 6 bits, which are
 * multiplied by a scale and a minimum of the whole block.
 */
const readQ4K = eachBlock(256, 144, (bytes, at, into, to) => {
  const [scale, least] = [halfAt(bytes, at), halfAt(bytes, at + 2)];
  for (let group = 0; group < 8; group++) {
    const six = at + 4 + group;
    const [low, high] =
      group < 4
        ? [byteAt(bytes, six) & 63, byteAt(bytes, six + 4) & 63]
        : [
            (byteAt(bytes, six + 4) & 15) | ((byteAt(bytes, six - 4) >> 6) << 4),
            (byteAt(bytes, six + 4) >> 4) | ((byteAt(bytes, six) >> 6) << 4),
          ];
    const [own, below] = [Math.fround(scale * low), Math.fround(least * high)];
    const [from, shift] = [at + 16 + 32 * (group >> 1), group % 2 === 0 ? 0 : 4];
    for (let i = 0; i < 32; i++)
      into[to + 32 * group + i] = Math.fround(own * ((byteAt(bytes, from + i) >> shift) & 15)) - below;
  }
});

/**
 * A block of 16 groups of 16 numbers of 6 bits each, whose upper 2 bits are stored separately. Each number is decreased
 * by 32, and each group has a signed scale.
 */
const readQ6K = eachBlock(256, 210, (bytes, at, into, to) => {
  const scale = halfAt(bytes, at + 208);
  for (let i = 0; i < 256; i++) {
    const half = i >> 7;
    const quarter = (i >> 5) & 3;
    const place = i & 31;
    const low = byteAt(bytes, at + 64 * half + 32 * (quarter & 1) + place) >> (quarter < 2 ? 0 : 4);
    const high = byteAt(bytes, at + 128 + 32 * half + place) >> (2 * quarter);
    const own = Math.fround(scale * signedAt(bytes, at + 192 + (i >> 4)));
    into[to + i] = own * (((low & 15) | ((high & 3) << 4)) - 32);
  }
});

export const storedLayouts = {
  F32: {
    count: 1,
    bytes: 4,
    halves: [],
    read: (bytes, into) => new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes),
  },
  F16: { count: 1, bytes: 2, halves: [0], read: readHalves },
  BF16: { count: 1, bytes: 2, halves: [], read: readBrain },
  Q4_0: { count: 32, bytes: 18, halves: [0], read: readQ40 },
  Q4_1: { count: 32, bytes: 20, halves: [0, 2], read: readQ41 },
  Q5_0: { count: 32, bytes: 22, halves: [0], read: readQ50 },
  Q8_0: { count: 32, bytes: 34, halves: [0], read: readQ80 },
  Q4_K: { count: 256, bytes: 144, halves: [0, 2], read: readQ4K },
  Q6_K: { count: 256, bytes: 210, halves: [208], read: readQ6K },
} as const satisfies Record<string, StoredLayout>;

export type StoredFormat = keyof typeof storedLayouts;

export const isStoredFormat = (name: unknown): name is StoredFormat =>
  typeof name === 'string' && Object.hasOwn(storedLayouts, name);

/** The size in bytes of `count` numbers, which must fill whole blocks. */
export const storedSize = (format: StoredFormat, count: number): number =>
  (count / storedLayouts[format].count) * storedLayouts[format].bytes;

/**
 * Decodes little-endian bytes to numbers. Blocks must be complete.
 * @returns a new array; for F32 data at a multiple of four, a view of the same memory
 */
export function numbersOf(format: StoredFormat, bytes: Uint8Array): Float32Array {
  if (format === 'F32' && bytes.byteOffset % 4 === 0)
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const { count, bytes: size, read } = storedLayouts[format];
  const numbers = new Float32Array((bytes.length / size) * count);
  read(bytes, numbers);
  return numbers;
}

/** Whether each word has at least one zero among the bits of its exponent, so that no number is infinite or NaN. */
function noneHas(words: Uint32Array | Uint16Array, exponent: number): boolean {
  for (let i = 0; i < words.length; i++) if (((words[i] as number) & exponent) === exponent) return false;
  return true;
}

/** Whether all numbers are finite, determined without decoding them. */
export function areFinite(format: StoredFormat, bytes: Uint8Array): boolean {
  if (format === 'F32') {
    const { buffer, byteOffset, length } = numbersOf(format, bytes);
    return noneHas(new Uint32Array(buffer, byteOffset, length), 0x7f800000);
  }
  if (format === 'BF16') return noneHas(words16(bytes), 0x7f80);
  const { bytes: size, halves: places } = storedLayouts[format];
  for (const place of places)
    for (let at = place + 1; at < bytes.length; at += size) if ((byteAt(bytes, at) & 0x7c) === 0x7c) return false;
  return true;
}
