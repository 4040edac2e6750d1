// The programs for which problems can ask: a fixed set of kinds, each with its constants. A kind selects elements of a
// list by their position or by their value. From level 2 on, an operation is applied to the selected elements. Agents
// may write other programs too, because programs are run in the sandbox and not compared with this set. The functions
// in this file that compute results are only used to draw problems and to make demonstrations.
import { kindNames, type KindName } from './form.ts';

export const operationNames = ['add', 'times'] as const;
export type OperationName = (typeof operationNames)[number];

/**
 * The ways in which programs use the selected elements. On level 1, a program keeps only these elements; on level 2, it
 * keeps only these elements and changes them; on level 3, it keeps all elements and changes the selected ones.
 */
export type Form = 'pick' | 'pickAndChange' | 'changeInPlace';

/** A kind of program with its constant, if it has one. */
interface Picker {
  kind: KindName;
  constant: number;
  picks: (x: number, i: number, length: number) => boolean;
}

interface Kind {
  /** The first and the last possible constant; both are 0 for a kind without a constant. */
  constants: readonly [number, number];
  picks: (k: number, x: number, i: number, length: number) => boolean;
  /**
   * The code that selects the elements: `call` is a method call on the list. `condition` is a condition on `x` or `i`
   * for changing elements in place; `condition` is absent if no problem asks for this.
   */
  call: (k: number) => string;
  condition?: (k: number) => string;
}

const filter = (condition: (k: number) => string) => (k: number) => `.filter(x=>${condition(k)})`;
const byValue = (condition: (k: number) => string, picks: (k: number, x: number) => boolean) => ({
  ...{ call: filter(condition), condition, picks },
});

const kinds: Readonly<Record<KindName, Kind>> = {
  drop: { constants: [1, 3], picks: (k, _, i) => i >= k, call: (k) => `.slice(${k})`, condition: (k) => `i>=${k}` },
  take: { constants: [1, 3], picks: (k, _, i) => i < k, call: (k) => `.slice(0,${k})`, condition: (k) => `i<${k}` },
  last: { constants: [1, 3], picks: (k, _, i, length) => i >= length - k, call: (k) => `.slice(-${k})` },
  trim: { constants: [1, 3], picks: (k, _, i, length) => i < length - k, call: (k) => `.slice(0,-${k})` },
  above: {
    constants: [1, 8],
    ...byValue(
      (k) => `x>${k}`,
      (k, x) => x > k,
    ),
  },
  below: {
    constants: [2, 9],
    ...byValue(
      (k) => `x<${k}`,
      (k, x) => x < k,
    ),
  },
  without: {
    constants: [1, 9],
    ...byValue(
      (k) => `x!==${k}`,
      (k, x) => x !== k,
    ),
  },
  even: {
    constants: [0, 0],
    ...byValue(
      () => 'x%2===0',
      (_, x) => x % 2 === 0,
    ),
  },
  odd: {
    constants: [0, 0],
    ...byValue(
      () => 'x%2===1',
      (_, x) => x % 2 === 1,
    ),
  },
};

export interface Operation {
  name: OperationName;
  constant: number;
}

const operations: Readonly<Record<OperationName, { constants: readonly [number, number]; sign: string }>> = {
  add: { constants: [1, 9], sign: '+' },
  times: { constants: [2, 5], sign: '*' },
};

const resultOf = ({ name, constant }: Operation, x: number) => (name === 'add' ? x + constant : x * constant);

export interface CodeProgram {
  form: Form;
  picker: Picker;
  /** The operation on the selected elements; null if they stay unchanged. */
  operation: Operation | null;
}

const range = ([from, to]: readonly [number, number]) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

export const isAsked = (form: Form, kind: KindName) => form !== 'changeInPlace' || kinds[kind].condition !== undefined;

export const pickersOf = (form: Form): Picker[] =>
  kindNames
    .filter((kind) => isAsked(form, kind))
    .flatMap((kind) =>
      range(kinds[kind].constants).map((constant) => ({
        ...{ kind, constant },
        picks: (x, i, length) => kinds[kind].picks(constant, x, i, length),
      })),
    );

export const operationsOf = (form: Form): (Operation | null)[] =>
  form === 'pick'
    ? [null]
    : operationNames.flatMap((name) => range(operations[name].constants).map((constant) => ({ name, constant })));

/** All programs of a form. */
export const programsOf = (form: Form): CodeProgram[] =>
  pickersOf(form).flatMap((picker) => operationsOf(form).map((operation) => ({ form, picker, operation })));

/** The plan for the program, such as `drop` or `drop,add`. */
export const planOf = ({ picker: { kind }, operation }: CodeProgram) =>
  operation ? `${kind},${operation.name}` : kind;

/** The text of the program, such as `xs.slice(1).map(x=>x+3)`. */
export function sourceOf({ form, picker: { kind, constant }, operation }: CodeProgram): string {
  const { call, condition } = kinds[kind];
  const changed = operation ? `x${operations[operation.name].sign}${operation.constant}` : 'x';
  if (form === 'pick') return `xs${call(constant)}`;
  if (form === 'pickAndChange') return `xs${call(constant)}.map(x=>${changed})`;
  const where = condition?.(constant) ?? '';
  return `xs.map(${where.startsWith('i') ? '(x,i)' : 'x'}=>${where}?${changed}:x)`;
}

/** The value that the program returns for a list. */
export function valueOf({ form, picker, operation }: CodeProgram, xs: readonly number[]): number[] {
  const isPicked = (x: number, i: number) => picker.picks(x, i, xs.length);
  const changed = (x: number) => (operation ? resultOf(operation, x) : x);
  if (form === 'changeInPlace') return xs.map((x, i) => (isPicked(x, i) ? changed(x) : x));
  return xs.filter(isPicked).map(changed);
}
