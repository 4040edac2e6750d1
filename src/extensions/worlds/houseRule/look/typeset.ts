// Typesets house-rule arithmetic, with printed operators such as ×. The brackets that a rule implies are added to an
// expression, and its result is computed.
import { firstJoinedId, form, nextOf, ruleNames, type RuleName } from '../form.ts';
import type { WorldForm } from '../../../../config/worlds/form.ts';
import type { Problem } from '../../../../records/problem.ts';
import { typeset } from '../../../../ui/worlds/worldLook.ts';
import { said, say } from '../../../../state/visitor/language.svelte.ts';

const levels: WorldForm['levels'] = form.levels;
const signs: Readonly<Record<string, string>> = form.signs;

/** The typeset tokens of a text. A token is one character, or two characters if the vocabulary contains such pairs. */
export function tokensOf(text: string, ids: readonly number[] = []): string[] {
  const found = (text.match(/<[^<>\s]+>|\S/gu) ?? []).map((sign) =>
    sign.length > 1 ? sign : said(signs[sign] ?? sign),
  );
  if (!ids.some((id) => id >= firstJoinedId)) return found;
  let at = 0;
  const tokens = ids.map((id) => found.slice(at, (at += id >= firstJoinedId ? 2 : 1)).join(''));
  return tokens.filter((token) => token !== '');
}

export interface ReadExpression {
  /** The expression with the brackets that the rule implies, such as `1 − (6 − 2)`. */
  bracketed: string;
  /** The result before it is reduced to its last digit, such as `−3`. */
  value: number;
}

const operate: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

/**
 * Reads an expression such as `1-6-2`. A minus at the start of the text or after an operator belongs to its number.
 * Returns null for any other text.
 */
export function readingOf(expression: string, rule: RuleName): ReadExpression | null {
  if (!/^-?\d+([-+*/]-?\d+)*$/.test(expression)) return null;
  const parts = [...expression.matchAll(/(-?\d+)([-+*/]?)/g)];
  let terms = parts.map(([, number = '']) => ({ bracketed: typeset(number), value: Number(number) }));
  let operators = parts.flatMap(([, , operator]) => operator || []);
  while (operators.length > 0) {
    const at = nextOf[rule](operators);
    const [a, b] = [terms[at], terms[at + 1]];
    const operator = operators[at] ?? '';
    if (!a || !b) return null;
    const joined = `${a.bracketed} ${said(signs[operator] ?? operator)} ${b.bracketed}`;
    const value = (operate[operator]?.(a.value, b.value) ?? Number.NaN) + 0; // no −0
    terms = terms.toSpliced(at, 2, { bracketed: operators.length > 1 ? `(${joined})` : joined, value });
    operators = operators.toSpliced(at, 1);
  }
  return terms[0] ?? null;
}

/**
 * The sum that turns a result below 0 into a digit, such as `−32 + 40 = 8`. Returns null if the result is not below 0.
 */
export function digitOf(result: number): string | null {
  if (result >= 0) return null;
  const tens = Math.ceil(-result / 10) * 10;
  return `${typeset(String(result))} + ${tens} = ${result + tens}`;
}

export interface RuleStep {
  /** `6 − 1` */
  operation: string;
  /** The result, before it is reduced to a digit. */
  result: number;
  /** The expression that remains after the operation, such as `4 − 5`. */
  left: string;
}

/** The steps that solve a problem by its rule. Returns null if the problem does not belong to this world. */
export function stepsOf({ shown, level, slice }: Pick<Problem, 'shown' | 'level' | 'slice'>): RuleStep[] | null {
  if (!/^-?\d+([-+*/]-?\d+)*$/.test(shown) || !slice || !Object.hasOwn(nextOf, slice)) return null;
  const isOfDigits = levels.find((one) => one.level === level)?.note?.label === form.levels[0].note.label;
  const parts = [...shown.matchAll(/(-?\d+)([-+*/]?)/g)];
  const numbers = parts.map(([, number]) => Number(number));
  const operators = parts.flatMap(([, , operator]) => operator || []);
  const write = () => typeset(numbers.map((number, i) => `${number}${operators[i] ?? ''}`).join(''));
  const steps: RuleStep[] = [];
  while (operators.length > 0) {
    const at = nextOf[slice as RuleName](operators);
    const [a = 0, b = 0] = [numbers[at], numbers[at + 1]];
    const operator = operators[at] ?? '';
    const result = (operate[operator]?.(a, b) ?? Number.NaN) + 0; // no −0
    numbers.splice(at, 2, isOfDigits ? ((result % 10) + 10) % 10 : result);
    operators.splice(at, 1);
    steps.push({ operation: typeset(`${a}${operator}${b}`), result, left: write() });
  }
  return steps;
}

/** The rules that give the same answer for an expression as `rule`, beginning with `rule` itself. */
export function agreeing({ shown, answer }: Pick<Problem, 'shown' | 'answer'>, rule: RuleName): RuleName[] {
  const isSame = (other: RuleName) => {
    const value = readingOf(shown, other)?.value;
    // At levels that keep only the last digit, it is enough that the last digits of the results are equal.
    return value !== undefined && (String(value) === answer || String(((value % 10) + 10) % 10) === answer);
  };
  return [rule, ...ruleNames.filter((other) => other !== rule && isSame(other))];
}

/** The names of rules, such as `left to right and multiplication first`. */
export const rulesInWords = (rules: readonly RuleName[]): string =>
  rules.map((rule) => said(form.slices.words[rule])).join(say(' and '));
