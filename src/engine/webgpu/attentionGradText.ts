// The texts of attention's gradient. With P the softmax and dP = dy·vᵀ:
//   dq = P∘(dP − Σ P∘dP)·k / √D,  dk the same transposed on q,  dv = Pᵀ·dy.
// First each query goes over its keys: the denominator of its softmax and Σ P∘dP, then dq. Then each key goes over the
// queries that see it, recomputing P. No thread writes where another does, so sums have one order.
import { basics, queryPlace, type HeadKind } from './attentionText.ts';

/** Queries of one key head whose two numbers a team keeps in shared memory. */
export const largestTeam = 1024;

const products = (kind: HeadKind) => `${basics(kind)}
var<private> grad: array<V, N>;
fn keyPlace(b: u32, j: u32, g: u32) -> u32 { return ((b * sizes.steps + j) * sizes.keyHeads + g) * N; }
fn readQuery(item: u32) {
  for (var i = 0u; i < N; i++) { query[i] = q[item * N + i] * scale; grad[i] = dy[item * N + i]; }
}
fn scoreOf(at: u32) -> f32 {
  var score = 0.0;
  for (var i = 0u; i < N; i++) { score += inner(query[i], k[at + i]); }
  return score;
}
fn alongOf(at: u32) -> f32 {
  var along = 0.0;
  for (var i = 0u; i < N; i++) { along += inner(grad[i], v[at + i]); }
  return along;
}
fn isHidden(b: u32, j: u32, s: u32) -> bool {
  return j < s && sizes.isMasked == 1u && keyMask[b * sizes.steps + j] == 0.0;
}`;

// Writes dq of one query head; returns the logarithm of its denominator and Σ P∘dP.
const queryPart = `
fn queryPart(item: u32) -> vec2<f32> {
  ${queryPlace}
  readQuery(item);
  for (var i = 0u; i < N; i++) { mix[i] = V(); }
  var top = -1e30;
  var sum = 0.0;
  var along = 0.0;
  for (var j = 0u; j <= s; j++) {
    if (isHidden(b, j, s)) { continue; }
    let at = keyPlace(b, j, g);
    let score = scoreOf(at);
    let newTop = max(top, score);
    let keep = exp(top - newTop);
    let p = exp(score - newTop);
    sum = sum * keep + p;
    along = along * keep + p * alongOf(at);
    top = newTop;
  }
  let known = vec2<f32>(top + log(sum), along / sum);
  for (var j = 0u; j <= s; j++) {
    if (isHidden(b, j, s)) { continue; }
    let at = keyPlace(b, j, g);
    let slope = exp(scoreOf(at) - known.x) * (alongOf(at) - known.y) * scale;
    for (var i = 0u; i < N; i++) { mix[i] += slope * k[at + i]; }
  }
  for (var i = 0u; i < N; i++) { dq[item * N + i] = mix[i]; }
  return known;
}`;

// Writes dk and dv of one key head; a hidden key is seen by its own position only.
const keyPart = `
var<private> second: array<V, N>;
fn keyPart(b: u32, j: u32, g: u32) {
  let at = keyPlace(b, j, g);
  let share = sizes.heads / sizes.keyHeads;
  for (var i = 0u; i < N; i++) { mix[i] = V(); second[i] = V(); }
  let end = select(sizes.steps, j + 1u, isHidden(b, j, sizes.steps));
  for (var s = j; s < end; s++) {
    for (var own = 0u; own < share; own++) {
      let item = (b * sizes.steps + s) * sizes.heads + g * share + own;
      readQuery(item);
      let known = statisticsOf(item, own * sizes.steps + s);
      let p = exp(scoreOf(at) - known.x);
      let slope = p * (alongOf(at) - known.y);
      for (var i = 0u; i < N; i++) { mix[i] += slope * query[i]; second[i] += p * grad[i]; }
    }
  }
  for (var i = 0u; i < N; i++) { dk[at + i] = mix[i]; dv[at + i] = second[i]; }
}`;

/** One thread for each query head: writes dq and `statistics`. */
export function queryGradient(kind: HeadKind): { functions: string; body: string } {
  return {
    functions: products(kind) + queryPart,
    body: `
  if (item >= sizes.items) { return; }
  let known = queryPart(item);
  statistics[2u * item] = known.x;
  statistics[2u * item + 1u] = known.y;`,
  };
}

/** One thread for each key head: reads `statistics`, writes dk and dv. */
export function keyGradient(kind: HeadKind): { functions: string; body: string } {
  return {
    functions: `${products(kind)}${keyPart}
fn statisticsOf(item: u32, own: u32) -> vec2<f32> {
  return vec2<f32>(statistics[2u * item], statistics[2u * item + 1u]);
}`,
    body: `
  if (item >= sizes.items) { return; }
  let row = item / sizes.keyHeads;
  keyPart(row / sizes.steps, row % sizes.steps, item % sizes.keyHeads);`,
  };
}

/** One team for each key head of a row: both parts in one program, `largestTeam` queries at most. */
export function teamGradient(kind: HeadKind): { functions: string; body: string } {
  return {
    functions: `${products(kind)}${queryPart}${keyPart}
var<workgroup> statistics: array<vec2<f32>, ${largestTeam}>;
fn statisticsOf(item: u32, own: u32) -> vec2<f32> { return statistics[own]; }`,
    body: `
  if (item >= sizes.items) { return; }
  let b = item / sizes.keyHeads;
  let g = item % sizes.keyHeads;
  let share = sizes.heads / sizes.keyHeads;
  for (var own = lane; own < share * sizes.steps; own += lanes) {
    let query = (b * sizes.steps + own % sizes.steps) * sizes.heads + g * share + own / sizes.steps;
    statistics[own] = queryPart(query);
  }
  workgroupBarrier();
  for (var j = lane; j < sizes.steps; j += lanes) { keyPart(b, j, g); }`,
  };
}
