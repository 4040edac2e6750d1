// Typesets relations and moves as in print, and substitutes an answer into its equation, if the answer can be checked
// in this way.
import { form } from '../form.ts';
import { said } from '../../../../state/visitor/language.svelte.ts';

const signs: Readonly<Record<string, string>> = form.signs;

/** Typesets relations and moves: `3x-4=11;2y+5=9` becomes `3x − 4 = 11; 2y + 5 = 9`, and `/-3` becomes `÷ −3`. */
export const typesetAlgebra = (text: string): string =>
  text
    .replace(/\s+/g, '')
    .replace(/([\dxy)])([-+=<>])/g, '$1 $2 ')
    .replace(/([*/])/g, '$1 ')
    .replace(/;/g, '; ')
    .replace(/[*/-]/g, (sign) => said(signs[sign] ?? sign))
    .trim();

/** Replaces hyphens that are minus signs in a sentence by real minus signs; hyphens between letters stay unchanged. */
export const algebraInWords = (text: string) => text.replace(/-(?=[\d(]|[xy]\b)/g, '−');

/** The tokens of a text, each typeset separately; characters that are not in a token are typeset one by one. */
export const algebraTokens = (text: string): string[] =>
  (text.match(/<[a-z]\w+>|\S/giu) ?? []).map((sign) => said(signs[sign] ?? sign));

/**
 * The answer substituted into its equation, such as `3 × 5 − 4 = 11`; null if the answer cannot be checked by
 * substituting one number.
 */
export function checkOf(shown: string, answer: string): string | null {
  const [, unknown = '', value = ''] = /^([xy])=(-?\d+)$/.exec(answer) ?? [];
  const equations = shown.split(';').filter((equation) => equation.includes(unknown));
  const [equation = ''] = equations;
  if (unknown === '' || equations.length !== 1 || /x.*y|y.*x/.test(equation)) return null;
  const number = value.startsWith('-') ? `(${value})` : value;
  const put = equation
    .replace(new RegExp(`(\\d)${unknown}`, 'g'), `$1 × ${number}`)
    .replaceAll(unknown, number)
    .replace(/([\d)])([-+=])/g, '$1 $2 ');
  return put.replaceAll('-', '−');
}
