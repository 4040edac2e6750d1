// A list of booleans as hexadecimal digits. Each digit stands for four booleans; the first boolean is the highest bit
// of the first digit.

/** For example, `[true, false, true, true, true]` becomes `b8`. */
export function hexOf(bits: readonly boolean[]): string {
  let text = '';
  for (let at = 0; at < bits.length; at += 4) {
    let digit = 0;
    for (let i = 0; i < 4; i++) digit = 2 * digit + (bits[at + i] ? 1 : 0);
    text += digit.toString(16);
  }
  return text;
}

/** The first `count` booleans that the digits encode; null if there are fewer. */
export function bitsOf(hex: string, count: number): boolean[] | null {
  if (4 * hex.length < count) return null;
  return Array.from(
    { length: count },
    (_, i) => ((Number.parseInt(hex.charAt(i >> 2), 16) >> (3 - (i & 3))) & 1) === 1,
  );
}
