// Writes elements, numbers and text in the notation of SVG.
import type { SvgElement } from './drawing.ts';

/**
 * Characters that XML 1.0 does not allow, even escaped: most control characters, lone surrogates and two
 * non-characters.
 */
const unholdable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** The text inside an element. Characters that XML does not allow are replaced with �. */
export const escaped = (text: string): string =>
  text.replace(unholdable, '\uFFFD').replace(/[&<>\r]/g, (letter) => escapes[letter] as string);

/**
 * Writes an element as text. The values of attributes are not escaped, because they contain only numbers and names from
 * this program.
 */
export function svgText({ name, attributes, inside = [] }: SvgElement): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${value}"`)].join(' ');
  if (inside.length === 0) return `<${start}/>`;
  return `<${start}>${typeof inside === 'string' ? escaped(inside) : inside.map(svgText).join('\n')}</${name}>`;
}

/** An element without content. */
export const shape = (name: string, attributes: SvgElement['attributes']): SvgElement => ({ name, attributes });

/** Rounds a coordinate to hundredths of a pixel. */
export const at = (x: number): number => Math.round(x * 100) / 100;

/** A text element whose baseline begins at this point. */
export const written = (
  words: string,
  [left, baseline]: readonly [number, number],
  look: SvgElement['attributes'],
): SvgElement => ({ name: 'text', attributes: { x: at(left), y: at(baseline), ...look }, inside: words });

/**
 * An upper bound of the width of a text in pixels, for most sans-serif fonts. The exact width is unknown, because no
 * font is available when the file is written.
 */
export const widthOf = (text: string, size: number): number => [...text].length * size * 0.58;

/** Attributes that compress a text to the available width. If the text fits, no attributes are returned. */
export const squeezed = (text: string, size: number, room: number): SvgElement['attributes'] =>
  widthOf(text, size) > room ? { textLength: at(room), lengthAdjust: 'spacingAndGlyphs' } : {};

/** The dash pattern of a stroke as an attribute. A solid stroke has no such attribute. */
export const dashed = (dash?: readonly number[]): SvgElement['attributes'] =>
  dash ? { 'stroke-dasharray': dash.join(' ') } : {};
