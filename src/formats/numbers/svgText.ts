// Text and numbers as SVG takes them.

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

/** How wide text is at most in most fonts without serifs, in pixels: a writer has no font to ask. */
export const widthOf = (text: string, size: number): number => [...text].length * size * 0.58;

/** Makes a text that would be too wide as wide as its place: attributes, none where it fits. */
export const squeezed = (text: string, size: number, room: number): string =>
  widthOf(text, size) > room ? ` textLength="${at(room)}" lengthAdjust="spacingAndGlyphs"` : '';

/** The dashes of a stroke: an attribute, none where it is whole. */
export const dashed = (dash?: readonly number[]): string => (dash ? ` stroke-dasharray="${dash.join(' ')}"` : '');
