// Typesets algebra: relations and moves are displayed as in print. This file also substitutes the answer into its
// equation, if it can be checked in this way.
import { form } from '../form.ts';
import { said } from '../../../../state/visitor/language.svelte.ts';

const signs: Readonly<Record<string, string>> = form.signs;

/**
 * Typesets relations and moves as in print: `3x-4=11;2y+5=9` becomes `3x − 4 = 11; 2y + 5 = 9`, and `/-3` becomes `÷
 * −3`.
 */
export const typesetAlgebra = (text: string): string =>
  text
    .replace(/\s+/g, '')
    .replace(/([\dxy)])([-+=<>])/g, '$1 $2 ')
    .replace(/([*/])/g, '$1 ')
    .replace(/;/g, '; ')
    .replace(/[*/-]/g, (sign) => said(signs[sign] ?? sign))
    .trim();

/** Typesets minus signs within a sentence; a hyphen between letters stays unchanged. */
export const algebraInWords = (text: string) => text.replace(/-(?=[\d(]|[xy]\b)/g, '−');

/** The tokens of a text, each typeset on its own. The text between two tokens is typeset character by character. */
export const algebraTokens = (text: string): string[] =>
  (text.match(/<[a-z]\w+>|\S/giu) ?? []).map((sign) => said(signs[sign] ?? sign));

/**
 * The answer substituted into its equation, such as `3 × 5 − 4 = 11`; null if substituting one number is not enough to
 * check it.
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
