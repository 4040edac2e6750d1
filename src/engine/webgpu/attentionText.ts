// The texts of the attention programs: softmax in one pass over the keys, keeping the largest score so far
// (Milakov & Gimelshein 2018; Dao et al. 2022), so any number of keys needs the same few registers. A head of D
// numbers is a few values of type V, D baked into the text, because registers cannot be indexed otherwise.
import { groupSize, reductions } from './recorder.ts';

/** What is baked into the texts. */
export interface HeadKind {
  type: 'vec4<f32>' | 'f32';
  /** Values of this type in a head. */
  count: number;
  key: string;
}

/** Largest head whose registers the programs are written for. */
export const largestHead = 128;

/** How a head of `size` numbers is read: by fours where they fit. */
export function headKind(size: number): HeadKind {
  const type = size % 4 === 0 ? 'vec4<f32>' : 'f32';
  return { type, count: type === 'f32' ? size : size / 4, key: `D${String(size)}` };
}

/** The type V of a head's values, their number N, and one head each in registers: `query` and `mix`. */
export const basics = ({ type, count }: HeadKind) => `
alias V = ${type};
const N = ${count}u;
const scale = ${(1 / Math.sqrt(type === 'f32' ? count : 4 * count)).toPrecision(9)};
fn inner(a: V, b: V) -> f32 { return ${type === 'f32' ? 'a * b' : 'dot(a, b)'}; }
var<private> query: array<V, N>;
var<private> mix: array<V, N>;`;

// `take` weighs a score, rescaling what was gathered under a smaller maximum.
const onlineSoftmax = `
var<private> top: f32 = -1e30;
var<private> sum: f32 = 0.0;
fn take(score: f32) -> f32 {
  if (score > top) {
    let keep = exp(top - score);
    sum *= keep;
    for (var i = 0u; i < N; i++) { mix[i] *= keep; }
    top = score;
  }
  let p = exp(score - top);
  sum += p;
  return p;
}`;

/** `s`, `b`, `g`: step, row and key head of the query head numbered `item`, in the order of q. */
export const queryPlace = `
  let h = item % sizes.heads;
  let s = (item / sizes.heads) % sizes.steps;
  let b = item / (sizes.heads * sizes.steps);
  let g = h / (sizes.heads / sizes.keyHeads);`;

const eachKey = (keys: string, values: string, at: string) => `
    let at = ${at} * N;
    var score = 0.0;
    for (var i = 0u; i < N; i++) { score += inner(query[i], ${keys}[at + i]); }
    let p = take(score);
    for (var i = 0u; i < N; i++) { mix[i] += p * ${values}[at + i]; }`;

/** One thread for each query head; `isCached`: keys of a cache come before those of the new positions. */
export function soloForward(kind: HeadKind, isCached: boolean): { functions: string; body: string } {
  const past = `
  for (var j = 0u; j < sizes.past; j++) {
    if (pastMask[b * sizes.past + j] == 0.0) { continue; }
    ${eachKey('pastK', 'pastV', '((b * sizes.past + j) * sizes.keyHeads + g)')}
  }`;
  return {
    functions: basics(kind) + onlineSoftmax,
    body: `
  if (item >= sizes.items) { return; }
  ${queryPlace}
  for (var i = 0u; i < N; i++) { query[i] = q[item * N + i] * scale; }
  ${isCached ? past : ''}
  for (var j = 0u; j <= s; j++) {
    if (j < s && sizes.isMasked == 1u && keyMask[b * sizes.steps + j] == 0.0) { continue; }
    ${eachKey('k', 'v', '((b * sizes.steps + j) * sizes.keyHeads + g)')}
  }
  for (var i = 0u; i < N; i++) { y[item * N + i] = mix[i] / sum; }`,
  };
}

/** One team for each query head: lanes first share out the keys, 64 at a time, then the numbers of the head. */
export function teamForward(kind: HeadKind, isCached: boolean): { functions: string; body: string } {
  const past = isCached ? 'sizes.past' : '0u';
  const score = (keys: string, at: string) => `
        let at = ${at} * N;
        for (var i = 0u; i < N; i++) { score += inner(q[item * N + i], ${keys}[at + i]); }
        score *= scale;`;
  const scoreOfPast = `
      if (j < sizes.past) {
        isVisible = pastMask[b * sizes.past + j] != 0.0;
        ${score('pastK', '((b * sizes.past + j) * sizes.keyHeads + g)')}
      } else {`;
  const valueOf = (values: string, at: string) => `gathered += shares[t] * ${values}[${at} * N + lane];`;
  const own = `((b * sizes.steps + j - ${past}) * sizes.keyHeads + g)`;
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
        isVisible = step == s || sizes.isMasked == 0u || keyMask[b * sizes.steps + step] != 0.0;
        ${score('k', own)}
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
        ${
          isCached
            ? `if (j < sizes.past) { ${valueOf('pastV', '((b * sizes.past + j) * sizes.keyHeads + g)')} }
        else { ${valueOf('v', own)} }`
            : valueOf('v', own)
        }
      }
    }
    workgroupBarrier();
  }
  if (lane < N) { y[item * N + lane] = gathered / sum; }`,
  };
}
