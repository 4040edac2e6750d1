// Parses, prints and transforms linear equations and inequalities in x and y.
//   relation = side ('=' | '<' | '>') side
//   side = terms in the order x, y, number; a side without terms is written 0
// There is only one way to write each relation, such as `-x+3y=5`. Any other text is refused, for example with `1x`,
// with `+0` or with a leading `+`.

export type Sign = '=' | '<' | '>';

/** The coefficients of x and of y, and the constant. */
type Side = readonly [x: number, y: number, constant: number];

export interface LinearRelation {
  readonly left: Side;
  readonly sign: Sign;
  readonly right: Side;
}

/** The largest absolute value of a number in intermediate results. */
const largestNumber = 9_999;
const names = ['x', 'y', ''] as const;
const term = /([+-]?)(\d{0,5})([xy]?)/y;

function printSide(side: Side): string {
  let text = '';
  for (let i = 0; i < 3; i++) {
    const factor = side[i] as number;
    if (factor === 0) continue;
    const size = Math.abs(factor);
    const name = names[i] as string;
    const sign = factor < 0 ? '-' : text === '' ? '' : '+';
    text += sign + (size === 1 && name !== '' ? '' : size) + name;
  }
  return text === '' ? '0' : text;
}

/** Reads one side of a relation. Returns null unless the side is written in the only valid form. */
function parseSide(text: string): Side | null {
  const side: [number, number, number] = [0, 0, 0];
  term.lastIndex = 0;
  while (term.lastIndex < text.length) {
    const [whole = '', sign, digits = '', name = ''] = term.exec(text) ?? [];
    if (whole === '' || whole === sign) return null;
    const size = digits === '' ? 1 : Number(digits);
    const at = names.indexOf(name as (typeof names)[number]);
    side[at] = (side[at] as number) + (sign === '-' ? -size : size);
  }
  return printSide(side) === text ? side : null;
}

export const printRelation = ({ left, sign, right }: LinearRelation): string =>
  printSide(left) + sign + printSide(right);

/** Reads a relation such as `2x+3=9`; null if the text is not a relation. */
export function parseRelation(text: string): LinearRelation | null {
  const at = text.search(/[=<>]/);
  const left = at < 0 ? null : parseSide(text.slice(0, at));
  const right = at < 0 ? null : parseSide(text.slice(at + 1));
  return left && right && { left, sign: text[at] as Sign, right };
}

/** Reads relations with a `;` between them; null if one of them is not a relation. */
export function parseRelations(text: string): LinearRelation[] | null {
  const found = text.split(';').map(parseRelation);
  return found.includes(null) ? null : (found as LinearRelation[]);
}

const mapSide = (side: Side, change: (factor: number, i: number) => number): Side =>
  side.map((factor, i) => change(factor, i) + 0) as unknown as Side; // no −0

/** The relation `a + factor × b`, computed separately for the left and the right side. */
export function combined(a: LinearRelation, b: LinearRelation, factor: number): LinearRelation {
  const add = (one: Side, other: Side) => mapSide(one, (value, i) => value + factor * (other[i] as number));
  return { left: add(a.left, b.left), sign: a.sign, right: add(a.right, b.right) };
}

/** Multiplies or divides both sides by a factor. A negative factor reverses the sign of an inequality. */
export function scaled({ left, sign, right }: LinearRelation, factor: number, isDivided: boolean): LinearRelation {
  const scale = (side: Side) => mapSide(side, (value) => (isDivided ? value / factor : value * factor));
  const turned = ({ '<': '>', '>': '<', '=': '=' } as const)[sign];
  return { left: scale(left), sign: factor < 0 ? turned : sign, right: scale(right) };
}

/** Whether all numbers are integers, and none is too large. */
export const isWritable = ({ left, right }: LinearRelation): boolean =>
  [...left, ...right].every((factor) => Number.isInteger(factor) && Math.abs(factor) <= largestNumber);

/** Reads a term that is to be added to both sides, such as `-3` or `+2x`; null for any other text. */
export function parseTerm(text: string): LinearRelation | null {
  const side = /^[+-]/.test(text) ? parseSide(text.replace(/^\+/, '')) : null;
  if (side === null || side.filter((factor) => factor !== 0).length !== 1) return null;
  return { left: side, sign: '=', right: side };
}

/**
 * The solution of a relation with one unknown, such as `x=3` or `y<-2`. Null if the relation contains no unknown or
 * both, or if the solution is not an integer.
 */
export function solved({ left, sign, right }: LinearRelation): string | null {
  const [x, y, constant] = mapSide(left, (value, i) => value - (right[i] as number));
  if ((x === 0) === (y === 0)) return null;
  const factor = x === 0 ? y : x;
  const alone: Side = x === 0 ? [0, 1, 0] : [1, 0, 0];
  const found = scaled(
    { left: mapSide(alone, (value) => value * factor), sign, right: [0, 0, -constant] },
    factor,
    true,
  );
  return isWritable(found) ? printRelation(found) : null;
}
