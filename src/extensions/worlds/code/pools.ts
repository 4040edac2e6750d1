// Pairs of examples that fit programs of several kinds, but only one program of each kind. The kind must therefore be
// communicated, and the numbers must be found in the examples. A pool is a collection of such pairs. There is one pool
// for each form of program and each length of list; each pool is built once and is the same in every run. All problems
// are drawn from the pools, so the maximum accuracy can be counted exactly instead of being estimated.
import { Draws, streams } from '../../../base/random.ts';
import {
  operationNames,
  operationsOf,
  pickersOf,
  planOf,
  valueOf,
  type Form,
  type Operation,
  type CodeProgram,
} from './programs.ts';

/** Two lists, and all programs for which problems with these lists can ask. */
export interface Examples {
  lists: readonly [readonly number[], readonly number[]];
  programs: readonly CodeProgram[];
}

/** The minimum number of kinds of program that a pair of lists must fit. */
const leastKinds = 3;
const poolSize = 3_000;

/** All lists of this length that consist of different digits from 1 to 9. */
function listsOf(length: number): number[][] {
  if (length === 0) return [[]];
  return listsOf(length - 1).flatMap((list) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((digit) => !list.includes(digit)).map((digit) => [...list, digit]),
  );
}

const same = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((x, i) => x === b[i]);

/** The operations that turn one number into the other. */
function between(before: number, after: number): Operation[] {
  const found = { add: after - before, times: after / before };
  return operationNames.map((name) => ({ name, constant: found[name] }));
}

function makePool(form: Form, length: number): Examples[] {
  const draws = new Draws(0, streams.heldOut, 100 * length + form.length);
  const lists = listsOf(length);
  const pickers = pickersOf(form);
  const operations = operationsOf(form);
  const known = new Set(operations.map((operation) => operation && `${operation.name}${operation.constant}`));
  const masks = lists.map((list) =>
    pickers.map(({ picks }) => list.reduce((mask, x, i) => mask | (picks(x, i, length) ? 1 << i : 0), 0)),
  );
  const all = (1 << length) - 1;

  /** All programs that turn the two lists into these results. */
  const fitting = (at: readonly [number, number], values: readonly [number[], number[]]): CodeProgram[] =>
    pickers.flatMap((picker, p) => {
      const [a, b] = [lists[at[0]] as number[], lists[at[1]] as number[]];
      const first = a.findIndex((_, i) => ((masks[at[0]]?.[p] as number) >> i) & 1);
      if (first < 0) return [];
      const place = form === 'changeInPlace' ? first : 0;
      const tried = form === 'pick' ? [null] : between(a[first] as number, values[0][place] as number);
      return tried
        .filter((operation) => form === 'pick' || known.has(operation && `${operation.name}${operation.constant}`))
        .map((operation): CodeProgram => ({ form, picker, operation }))
        .filter((program) => same(valueOf(program, a), values[0]) && same(valueOf(program, b), values[1]));
    });

  const pool = new Map<string, Examples>();
  while (pool.size < poolSize) {
    const at = [draws.below(lists.length), draws.below(lists.length)] as const;
    if (at[0] === at[1]) continue;
    const buckets = new Map<number, number[]>();
    for (const p of pickers.keys()) {
      const [a, b] = [masks[at[0]]?.[p] as number, masks[at[1]]?.[p] as number];
      if (a === 0 || b === 0 || (a === all && b === all)) continue;
      const key = a * (all + 1) + b;
      const bucket = buckets.get(key);
      if (bucket) bucket.push(p);
      else buckets.set(key, [p]);
    }
    for (const bucket of buckets.values()) {
      if (bucket.length < leastKinds) continue;
      const pair = [lists[at[0]] as number[], lists[at[1]] as number[]] as const;
      const picker = pickers[bucket[0] as number] as (typeof pickers)[number];
      const program: CodeProgram = { form, picker, operation: draws.pick(operations) };
      const values = [valueOf(program, pair[0]), valueOf(program, pair[1])] as const;
      const programs = alone(fitting(at, values));
      if (new Set(programs.map((found) => found.picker.kind)).size < leastKinds) continue;
      const isMirrored = pool.has(JSON.stringify([pair.toReversed(), values.toReversed()]));
      if (!isMirrored) pool.set(JSON.stringify([pair, values]), { lists: pair, programs });
    }
  }
  return [...pool.values()].slice(0, poolSize);
}

/** The programs in a list whose plan no other program in the list has. */
export function alone(programs: readonly CodeProgram[]): CodeProgram[] {
  const plans = programs.map(planOf);
  return programs.filter((_, i) => plans.indexOf(plans[i] as string) === plans.lastIndexOf(plans[i] as string));
}

const pools = new Map<string, readonly Examples[]>();

/** The pool of examples for a form of program and lists of this length. */
export function poolOf(form: Form, length: number): readonly Examples[] {
  const key = `${form} ${length}`;
  const found = pools.get(key) ?? makePool(form, length);
  pools.set(key, found);
  return found;
}
