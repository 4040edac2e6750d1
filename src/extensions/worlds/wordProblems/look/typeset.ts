// Typesets word problems: words stay unchanged, operators are replaced by printed ones such as ×, and the steps of a
// story are shown as equations.
import { form } from '../form.ts';
import type { Problem } from '../../../../records/problem.ts';
import * as v from 'valibot';
import { typeset } from '../../../../ui/worlds/worldLook.ts';

/** The text as it is displayed. A text that contains only numbers and operators is typeset as a formula. */
export const written = (text: string): string => (/^[\d+\-*=;]+$/.test(text) ? typeset(text) : text);

const results: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};

/** The steps of a story as equations, and its irrelevant numbers; null if the problem does not belong to this world. */
export function stepsOf({ given }: Pick<Problem, 'given'>): { equations: string[]; others: number[] } | null {
  const read = v.safeParse(form.given, given);
  if (!read.success) return null;
  const { start, steps, others } = read.output;
  let value = start;
  const equations = steps.map(({ operator, number }) => {
    const before = value;
    value = results[operator]?.(before, number) ?? before;
    return typeset(`${before}${operator}${number}=${value}`);
  });
  return { equations, others };
}
