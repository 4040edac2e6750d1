// How a house rule reads an expression: with the brackets that it leaves out, and the number that comes of it.
import type { RuleName } from '../../records/problem.ts';
import { tokenText, typeset } from '../words.ts';

export interface Reading {
  /** `1 − (6 − 2)` */
  bracketed: string;
  /** Before any last digit is taken: `−3`. */
  value: number;
}

const operate: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};

/** Index of the operation that a rule does next. */
const nextOf: Record<RuleName, (operators: readonly string[]) => number> = {
  precedence: (operators) => Math.max(0, operators.indexOf('*')),
  leftToRight: () => 0,
  rightToLeft: (operators) => operators.length - 1,
};

/** Reads `1-6-2`; a minus that starts the text or follows an operator belongs to its number. Null for other texts. */
export function readingOf(expression: string, rule: RuleName): Reading | null {
  if (!/^-?\d+([-+*]-?\d+)*$/.test(expression)) return null;
  const parts = [...expression.matchAll(/(-?\d+)([-+*]?)/g)];
  let terms = parts.map(([, number = '']) => ({ bracketed: typeset(number), value: Number(number) }));
  let operators = parts.flatMap(([, , operator]) => operator || []);
  while (operators.length > 0) {
    const at = nextOf[rule](operators);
    const [a, b] = [terms[at], terms[at + 1]];
    const operator = operators[at] ?? '';
    if (!a || !b) return null;
    const joined = `${a.bracketed} ${tokenText(operator)} ${b.bracketed}`;
    const value = (operate[operator]?.(a.value, b.value) ?? Number.NaN) + 0; // no −0
    terms = terms.toSpliced(at, 2, { bracketed: operators.length > 1 ? `(${joined})` : joined, value });
    operators = operators.toSpliced(at, 1);
  }
  return terms[0] ?? null;
}
