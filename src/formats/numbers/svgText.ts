// Text and numbers in the notation of SVG.

/**
 * Characters that XML 1.0 does not allow, even escaped: most control characters, lone surrogates and two
 * non-characters.
 */
const unholdable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Text within an element; characters that XML does not allow become �. */
export const escaped = (text: string): string =>
  text.replace(unholdable, '\uFFFD').replace(/[&<>\r]/g, (letter) => escapes[letter] as string);

/** A coordinate, rounded to hundredths of a pixel. */
export const at = (x: number): string => String(Math.round(x * 100) / 100);

/**
 * An upper bound of the width of text in pixels, in most sans-serif fonts; the exact width is unknown, because no font
 * is available when the file is written.
 */
export const widthOf = (text: string, size: number): number => [...text].length * size * 0.58;

/** Attributes that shrink text to the available width if it is too wide; empty if the text fits. */
export const squeezed = (text: string, size: number, room: number): string =>
  widthOf(text, size) > room ? ` textLength="${at(room)}" lengthAdjust="spacingAndGlyphs"` : '';

/** The dashes of a stroke as an attribute, empty if it is solid. */
export const dashed = (dash?: readonly number[]): string => (dash ? ` stroke-dasharray="${dash.join(' ')}"` : '');
