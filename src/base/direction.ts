// Inserts text from other sources into the page's text. If the inserted text is written from right to left, or contains
// a character that changes the direction of the following text, it must not affect the text around it.

/**
 * Unicode characters for embedding, override and isolate: each changes the direction of the following text until it is
 * closed.
 */
const turning = /[\u202A-\u202E\u2066-\u2069]/;
const rightToLeft = /[\u200F\u061C\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const [isolate, end] = ['\u2068', '\u2069'];

/** Whether a text contains a character that changes the direction of the following text. */
export const turnsDirection = (text: string): boolean => turning.test(text);

/** The text without such characters. */
export const withoutTurns = (text: string): string => text.replaceAll(new RegExp(turning, 'g'), '');

/**
 * Prepares a text for insertion into another: surrounds it with isolating characters if it needs them, otherwise
 * returns it unchanged.
 */
export function isolated(text: string): string {
  if (!turning.test(text) && !rightToLeft.test(text)) return text;
  // A text that closes more isolates than it opens would affect the text around it.
  return `${isolate}${isBalanced(text) ? text : text.replaceAll(/[\u2066-\u2069]/g, '')}${end}`;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (/[\u2066-\u2068]/.test(sign)) depth++;
    else if (sign === end && --depth < 0) return false;
  }
  return depth === 0;
}
