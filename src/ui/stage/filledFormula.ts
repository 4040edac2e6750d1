// Writes the lines of a formula in three ways: in symbols, with the numbers of one token, and as text for a screen
// reader.
import type { Formula, FormulaLine, TermName, TermValues } from '../../records/formula.ts';
import { formulaTerms } from '../../records/formulaTerms.ts';
import { inTongue } from '../../base/spoken.ts';
import type { Won } from '../../records/inspection.ts';
import { decimal, nothing, scientific } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface FilledLine {
  title: string;
  /** The line in symbols, such as `A = (R − μ) / (σ + 10⁻⁶)`. */
  symbols: string;
  /** The line with numbers, such as `(1 − 0.42) / (0.5 + 10⁻⁶)`. The text is empty if the line contains no terms. */
  numbers: string;
  result: string;
  /** The line in words, for a screen reader. */
  spoken: string;
  /** The note next to the line. */
  note: string;
}

/** Formats a number with at most three significant digits; zeros at the end are omitted. */
export function figures(x: number | undefined): string {
  if (x === undefined || Number.isNaN(x)) return nothing;
  const size = Math.abs(x);
  if (!Number.isFinite(x) || size < 1e-12) return decimal(x, 0);
  if (size < 0.001) return scientific(x);
  return decimal(Number(x.toPrecision(3)), size < 0.01 ? 5 : size < 0.1 ? 4 : 3).replace(/[.,]?0+$/, '');
}

/**
 * All terms of a formula in the order in which they occur, without repetitions. In each line, the term on the left
 * comes first.
 */
export function termsOf({ lines }: Formula): TermName[] {
  const named = lines.flatMap(({ left, right }) => [
    left,
    ...right.flatMap((part) => (typeof part === 'string' ? [] : [part.term])),
  ]);
  return [...new Set(named)];
}

/** Inserts the numbers into one line. `won` is the side that min() chose for the token. */
export function fillLine({ title, left, right }: FormulaLine, values: TermValues, won: Won): FilledLine {
  const names = right.flatMap((part) => (typeof part === 'string' ? [] : [part.term]));
  const write = (of: (name: TermName, before: string) => string) => {
    let text = '';
    for (const part of right) text += typeof part === 'string' ? part : of(part.term, text);
    return text;
  };
  const number = (name: TermName, before: string) => {
    const text = figures(values[name]);
    // A negative number after an operator is put in parentheses, because its minus sign would look like a second
    // operator.
    return text.startsWith('−') && before !== '' && !/[(|]$|, $/.test(before) ? `(${text})` : text;
  };
  const isKnown = names.every((name) => Number.isFinite(values[name]));
  const result = figures(values[left]);
  const { symbol, name } = formulaTerms[left];
  return {
    title: inTongue(title),
    symbols: `${symbol} = ${write((term) => formulaTerms[term].symbol)}`,
    numbers: names.length > 0 && isKnown ? write(number) : '',
    result,
    spoken: `${inTongue(name)} = ${write((term) => inTongue(formulaTerms[term].name))} = ${result}`,
    note: isKnown
      ? sideNote(left, won)
      : say('there is nothing to compare with, because the group has only one member'),
  };
}

const isTaken = (left: TermName, won: Won) => (left === 'unclipped' && won === 0) || (left === 'clipped' && won === 1);

function sideNote(left: TermName, won: Won): string {
  if (isTaken(left, won)) return say('counts');
  return left === 'loss' && won === 2 ? say('bounded by the dual clip') : '';
}
