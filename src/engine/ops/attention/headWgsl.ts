// WGSL code that all attention programs use. A head of D numbers consists of N values of type V. Each value is in a
// register with its own name, so D is fixed in the source. The softmax is computed in one pass over the keys, during
// which the largest score so far is kept (Milakov & Gimelshein 2018; Dao et al. 2022), so it needs the same few
// registers for any number of keys. If a step processes several keys, the waiting time for one is used to compute the
// others, and the sum has to be rescaled only once.
import { valueText } from '../../webgpu/program/kernel.ts';
import { groupSize } from '../../webgpu/program/program.ts';

/** The numbers that are fixed in the source of the programs. */
export interface HeadKind {
  type: 'vec4<f32>' | 'f32';
  /** Values of this type in a head. */
  count: number;
  /** Numbers in a head. */
  size: number;
  /** Whether a head has too many values for the registers of one thread (wideWgsl.ts). */
  isWide: boolean;
  /** Whether a position sees only the newest `sizes.window` positions, including its own. */
  isWindowed: boolean;
  key: string;
}

/**
 * The maximum number of values in a head of which one thread keeps all values. This number is limited because each value
 * occupies a register.
 */
const largestCount = 32;

/**
 * Determines how a head of `size` numbers is read: as groups of four numbers if the size is a multiple of four,
 * otherwise as single numbers.
 */
export function headKind(size: number, window = 0): HeadKind {
  const type = size % 4 === 0 ? 'vec4<f32>' : 'f32';
  const isWindowed = window > 0;
  const key = `D${String(size)}${isWindowed ? ' windowed' : ''}`;
  const count = type === 'f32' ? size : size / 4;
  return { type, count, size, isWide: count > largestCount, isWindowed, key };
}

/**
 * Whether the programs support the head size, which is the last dimension of the rotary tables (the second operand).
 * The head size must be even, and at most 128, or at most 32 if it is not a multiple of four. Larger heads need a size
 * that is a multiple of eight, and at most 256, so that each lane of a workgroup processes at most one value.
 */
export function fitsHeads([, cos]: readonly { shape: number[] }[]): boolean {
  if (!cos) return true;
  const size = cos.shape.at(-1) as number;
  const { isWide, count } = headKind(size);
  return size > 0 && size % 2 === 0 && (!isWide || (size % 8 === 0 && count <= groupSize));
}

/** The source text for each of the numbers 0 … count − 1, on separate lines. */
export function lines(count: number, text: (i: number) => string, between = '\n    '): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(between);
}

/** The source text for each value of a head, on separate lines. */
export function eachValue({ count }: HeadKind, text: (i: number) => string): string {
  return lines(count, text);
}

/** WGSL that sums the products of register `name` and `value` over the values of a head. */
export function innerProduct({ count }: HeadKind, name: string, value: (i: number) => string): string {
  return lines(count, (i) => `inner(${name}${String(i)}, ${value(i)})`, ' + ');
}

/** WGSL that defines the type V of a head's values, and the constants N and scale. */
export const basics = ({ type, count, size }: HeadKind) => `${valueText(type)}
const N = ${count}u;
const scale = ${(1 / Math.sqrt(size)).toPrecision(9)};`;

/**
 * WGSL that rotates the registers `from` by the angles stored at `angle`, and writes the result to the registers `to`:
 * (x1, x2) → (x1·cos − x2·sin, x2·cos + x1·sin), where x1 and x2 are the halves of a head. With `back`, the rotation is
 * reversed.
 */
export function turn(kind: HeadKind, from: string, to: string, way: 'forth' | 'back' = 'forth'): string {
  const sign = way === 'forth' ? '+' : '-';
  return eachValue(
    kind,
    (i) =>
      `let ${to}${i} = ${from}${i} * cosines[angle + ${i}u] ${sign} ${partner(kind, from, i)} * sines[angle + ${i}u];`,
  );
}

/**
 * Value i of (−x2, x1). If the two halves of a head consist of whole values, a stored value is used; otherwise it is
 * assembled number by number.
 */
function partner({ type, count, size }: HeadKind, from: string, i: number): string {
  const half = size / 2;
  if (type === 'f32' || size % 8 === 0)
    return i < count / 2 ? `(-${from}${String(i + count / 2)})` : `${from}${String(i - count / 2)}`;
  const number = (d: number) => `${from}${String(Math.floor(d / 4))}.${'xyzw'.charAt(d % 4)}`;
  const numbers = [0, 1, 2, 3].map((c) => {
    const d = 4 * i + c;
    return d < half ? `-${number(d + half)}` : number(d - half);
  });
  return `vec4<f32>(${numbers.join(', ')})`;
}

/** Declares the registers of a softmax; the `query` registers are already scaled. */
export const softmaxStart = (kind: HeadKind) => `
  var top = -1e30;
  var sum = 0.0;
  ${eachValue(kind, (i) => `var mix${i} = V();`)}`;

/** The keys of one step: for each, whether it is visible, and its stored key and value. */
export interface Keys {
  /** The number of keys in the step. */
  stride: number;
  /** WGSL that is true if this thread sees key u. */
  isSeen: (u: number) => string;
  key: (u: number, i: number) => string;
  value: (u: number, i: number) => string;
}

/** A function that gives value i of the u-th of several consecutive heads, which begin at `place` in an array. */
export const storedAt =
  ({ count }: HeadKind, array: string, place: string) =>
  (u: number, i: number) =>
    `${array}[${place} + ${String(u * count + i)}u]`;

/** WGSL that adds several keys to the softmax. Keys that are not visible may contain any finite numbers. */
export function softmaxStep(kind: HeadKind, { stride, isSeen, key, value }: Keys): string {
  return `
    ${lines(stride, (u) => `let isSeen${u} = ${isSeen(u)};`)}
    ${lines(stride, (u) => `let score${u} = select(-1e30, ${innerProduct(kind, 'query', (i) => key(u, i))}, isSeen${u});`)}
    let newTop = ${lines(stride, (u) => `max(score${u}, `, '')}top${')'.repeat(stride)};
    let keep = exp(top - newTop);
    ${lines(stride, (u) => `let p${u} = select(0.0, exp(score${u} - newTop), isSeen${u});`)}
    top = newTop;
    sum = sum * keep + ${lines(stride, (u) => `p${u}`, ' + ')};
    ${eachValue(kind, (i) => `mix${i} = mix${i} * keep + ${lines(stride, (u) => `p${u} * ${value(u, i)}`, ' + ')};`)}`;
}
