/** A catalogue in which texts have short keys contains this key, too. No text is empty. */
export const shortKeys = '';

/**
 * The key of an English text in the catalogues of the built page: a 36-bit hash (FNV-1a with two seeds), because the
 * texts themselves would be half of a catalogue. No two texts of the page have the same key; the build checks this.
 */
export function phraseKey(english: string): string {
  let [low, high] = [0x811c9dc5, 0x2b5bd1e7];
  for (let i = 0; i < english.length; i++) {
    const code = english.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
  }
  return ((low >>> 0) * 16 + (high >>> 28)).toString(36);
}
