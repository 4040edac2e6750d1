// Parses and prints expressions without parentheses. Their grammar:
//   expression = number { operator number }     operator = + − × ÷     number = ['-'] digits
// A '-' that starts the text or follows an operator belongs to its number, so each text has only one meaning:
// `12+-7*3--4` is 12 + (−7) × 3 − (−4). Numbers are written without leading zeros; there is no `-0`.

export type Operator = '+' | '-' | '*' | '/';

/** `numbers` has one element more than `operators`. Operation i joins the numbers i and i + 1. */
export interface Expression {
  readonly numbers: readonly number[];
  readonly operators: readonly Operator[];
}

const piece = /(-?(?:0|[1-9][0-9]*))([-+*/]?)/y;

/** Parses a text. Returns null if the text is not an expression, or if it contains a number beyond ±(2⁵³ − 1). */
export function parseExpression(text: string): Expression | null {
  const numbers: number[] = [];
  const found: Operator[] = [];
  piece.lastIndex = 0;
  for (;;) {
    const at = piece.lastIndex;
    const match = piece.exec(text);
    if (match === null || match.index !== at || match[1] === '-0') return null;
    const value = Number(match[1]);
    if (!Number.isSafeInteger(value)) return null;
    numbers.push(value);
    if (match[2] === '') return piece.lastIndex === text.length ? { numbers, operators: found } : null;
    found.push(match[2] as Operator);
  }
}

/** The text of an expression; each expression has only one text. */
export function printExpression({ numbers, operators: joined }: Expression): string {
  let text = `${numbers[0]}`;
  for (let i = 0; i < joined.length; i++) text += `${joined[i]}${numbers[i + 1]}`;
  return text;
}

/** The text of operation `index`, as it is written in a plan. */
export function printOperation({ numbers, operators: joined }: Expression, index: number): string {
  return `${numbers[index]}${joined[index]}${numbers[index + 1]}`;
}

/** Whether operations i and j of two expressions have the same text. */
function isSameOperation(a: Expression, i: number, b: Expression, j: number): boolean {
  return a.operators[i] === b.operators[j] && a.numbers[i] === b.numbers[j] && a.numbers[i + 1] === b.numbers[j + 1];
}

/**
 * The indices of the operations of `expression` that have the same text as `operation`, which is an expression of two
 * numbers.
 */
export function placesOf(operation: Expression, expression: Expression): number[] {
  const places: number[] = [];
  for (let i = 0; i < expression.operators.length; i++)
    if (isSameOperation(operation, 0, expression, i)) places.push(i);
  return places;
}

/** Whether the text of operation `index` occurs only once in the expression. */
export function isUnambiguous(expression: Expression, index: number): boolean {
  for (let i = 0; i < expression.operators.length; i++) {
    if (i !== index && isSameOperation(expression, index, expression, i)) return false;
  }
  return true;
}
