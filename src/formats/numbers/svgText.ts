// Text and numbers in the notation of SVG.

/**
 * Characters that XML 1.0 cannot hold, not even escaped: most control characters, lone surrogates and two
 * non-characters.
 */
const unholdable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Text within an element; characters that XML cannot hold become �. */
export const escaped = (text: string): string =>
  text.replace(unholdable, '\uFFFD').replace(/[&<>\r]/g, (letter) => escapes[letter] as string);

/** A coordinate: hundredths of a pixel are enough. */
export const at = (x: number): string => String(Math.round(x * 100) / 100);

/**
 * Upper bound of the width of text in most sans-serif fonts, in pixels: no font is available when the file is written.
 */
export const widthOf = (text: string, size: number): number => [...text].length * size * 0.58;

/** Shrinks text that would be too wide to the width of its place: the attributes, empty if it fits. */
export const squeezed = (text: string, size: number, room: number): string =>
  widthOf(text, size) > room ? ` textLength="${at(room)}" lengthAdjust="spacingAndGlyphs"` : '';

/** The dashes of a stroke as an attribute, empty if it is solid. */
export const dashed = (dash?: readonly number[]): string => (dash ? ` stroke-dasharray="${dash.join(' ')}"` : '');
