// The texts of the attention programs: softmax in one pass over the keys, keeping the largest score so far
// (Milakov & Gimelshein 2018; Dao et al. 2022), so any number of keys needs the same few registers. A head of D
// numbers is N values of type V, each a register of its own name, so D is baked into the text.
import { groupSize, reductions } from './recorder.ts';

/** What is baked into the texts. */
export interface HeadKind {
  type: 'vec4<f32>' | 'f32';
  /** Values of this type in a head. */
  count: number;
  key: string;
}

/** Values of a head at most: more registers than that no program holds. */
const largestCount = 32;

/** How a head of `size` numbers is read: by fours where they fit. */
export function headKind(size: number): HeadKind {
  const type = size % 4 === 0 ? 'vec4<f32>' : 'f32';
  return { type, count: type === 'f32' ? size : size / 4, key: `D${String(size)}` };
}

/** True for heads the programs are written for: up to 128 numbers, or 32 where they do not come in fours. */
export function fitsHead(size: number): boolean {
  return headKind(size).count <= largestCount;
}

/** The lines of a text for each value of a head. */
export function eachValue({ count }: HeadKind, text: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => text(i)).join('\n    ');
}

/** WGSL: sum over a head of products of register `name` and stored `values`. */
export function innerProduct({ count }: HeadKind, name: string, value: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `inner(${name}${i}, ${value(i)})`).join(' + ');
}

/** The type V of a head's values and the place of a key head. */
export const basics = ({ type, count }: HeadKind) => `
alias V = ${type};
const N = ${count}u;
const scale = ${(1 / Math.sqrt(type === 'f32' ? count : 4 * count)).toPrecision(9)};
fn inner(a: V, b: V) -> f32 { return ${type === 'f32' ? 'a * b' : 'dot(a, b)'}; }
fn keyPlace(b: u32, j: u32, g: u32) -> u32 { return ((b * sizes.steps + j) * sizes.keyHeads + g) * N; }
fn pastPlace(b: u32, j: u32, g: u32) -> u32 { return ((b * sizes.past + j) * sizes.keyHeads + g) * N; }`;

/** `s`, `b`, `g`: step, row and key head of the query head numbered `item`, in the order of q. */
export const queryPlace = `
  let h = item % sizes.heads;
  let s = (item / sizes.heads) % sizes.steps;
  let b = item / (sizes.heads * sizes.steps);
  let g = h / (sizes.heads / sizes.keyHeads);`;

/** One thread for each query head; `isCached`: keys of a cache come before those of the new positions. */
export function soloForward(kind: HeadKind, isCached: boolean): { functions: string; body: string } {
  const eachKey = (keys: string, values: string) => `
    let score = ${innerProduct(kind, 'query', (i) => `${keys}[at + ${i}u]`)};
    let newTop = max(top, score);
    let keep = exp(top - newTop);
    let p = exp(score - newTop);
    top = newTop;
    sum = sum * keep + p;
    ${eachValue(kind, (i) => `mix${i} = mix${i} * keep + p * ${values}[at + ${i}u];`)}`;
  const past = `
  for (var j = 0u; j < sizes.past; j++) {
    if (pastMask[b * sizes.past + j] == 0.0) { continue; }
    let at = pastPlace(b, j, g);${eachKey('pastK', 'pastV')}
  }`;
  return {
    functions: basics(kind),
    body: `
  if (item >= sizes.items) { return; }
  ${queryPlace}
  ${eachValue(kind, (i) => `let query${i} = q[item * N + ${i}u] * scale;\n    var mix${i} = V();`)}
  var top = -1e30;
  var sum = 0.0;
  ${isCached ? past : ''}
  for (var j = 0u; j <= s; j++) {
    if (j < s && sizes.isMasked == 1u && keyMask[b * sizes.steps + j] == 0.0) { continue; }
    let at = keyPlace(b, j, g);${eachKey('k', 'v')}
  }
  ${eachValue(kind, (i) => `y[item * N + ${i}u] = mix${i} / sum;`)}`,
  };
}

/** One team for each query head: lanes first share out the keys, 64 at a time, then the numbers of the head. */
export function teamForward(kind: HeadKind, isCached: boolean): { functions: string; body: string } {
  const past = isCached ? 'sizes.past' : '0u';
  const score = (keys: string, place: string) => `
        let at = ${place};
        for (var i = 0u; i < N; i++) { score += inner(q[item * N + i], ${keys}[at + i]); }
        score *= scale;`;
  const scoreOfPast = `
      if (j < sizes.past) {
        isVisible = pastMask[b * sizes.past + j] != 0.0;${score('pastK', 'pastPlace(b, j, g)')}
      } else {`;
  const gatherPast = 'if (j < sizes.past) { gathered += shares[t] * pastV[pastPlace(b, j, g) + lane]; } else {';
  return {
    functions: `${basics(kind)}\n${reductions('team')}\nvar<workgroup> shares: array<f32, ${groupSize}>;`,
    body: `
  if (item >= sizes.items) { return; }
  ${queryPlace}
  let count = ${past} + s + 1u;
  var top = -1e30;
  var sum = 0.0;
  var gathered = V();
  for (var tile = 0u; tile < count; tile += lanes) {
    let j = tile + lane;
    var score = 0.0;
    var isVisible = false;
    if (j < count) {
      ${isCached ? scoreOfPast : '{'}
        let step = j - ${past};
        isVisible = step == s || sizes.isMasked == 0u || keyMask[b * sizes.steps + step] != 0.0;${score('k', 'keyPlace(b, step, g)')}
      }
    }
    let newTop = max(top, most(select(-1e30, score, isVisible), lane));
    var p = 0.0;
    if (isVisible) { p = exp(score - newTop); }
    let keep = exp(top - newTop);
    top = newTop;
    sum = sum * keep + total(p, lane);
    shares[lane] = p;
    workgroupBarrier();
    if (lane < N) {
      gathered *= keep;
      for (var t = 0u; t < min(lanes, count - tile); t++) {
        let j = tile + t;
        ${isCached ? gatherPast : '{'} gathered += shares[t] * v[keyPlace(b, j - ${past}, g) + lane]; }
      }
    }
    workgroupBarrier();
  }
  if (lane < N) { y[item * N + lane] = gathered / sum; }`,
  };
}
