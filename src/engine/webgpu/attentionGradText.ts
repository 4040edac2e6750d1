// The texts of attention's gradient. With P the softmax and dP = dy·vᵀ:
//   dq = P∘(dP − Σ P∘dP)·k / √D,  dk the same transposed on q,  dv = Pᵀ·dy.
// First each query goes over its keys: the denominator of its softmax and Σ P∘dP, then dq. Then each key goes over the
// queries that see it, recomputing P. No thread writes where another does, so sums have one order.
import { basics, eachValue, type HeadKind, innerProduct, queryPlace } from './attentionText.ts';

/** Queries of one key head whose two numbers a team keeps in shared memory. */
export const largestTeam = 1024;

const isHidden = `
fn isHidden(b: u32, j: u32, s: u32) -> bool {
  return j < s && sizes.isMasked == 1u && keyMask[b * sizes.steps + j] == 0.0;
}`;

// Writes dq of one query head; returns the logarithm of its denominator and Σ P∘dP.
const queryPart = (kind: HeadKind) => `
fn queryPart(item: u32) -> vec2<f32> {
  ${queryPlace}
  ${eachValue(kind, (i) => `let query${i} = q[item * N + ${i}u] * scale;`)}
  ${eachValue(kind, (i) => `let grad${i} = dy[item * N + ${i}u];\n    var mix${i} = V();`)}
  var top = -1e30;
  var sum = 0.0;
  var along = 0.0;
  for (var j = 0u; j <= s; j++) {
    if (isHidden(b, j, s)) { continue; }
    let at = keyPlace(b, j, g);
    let score = ${innerProduct(kind, 'query', (i) => `k[at + ${i}u]`)};
    let pull = ${innerProduct(kind, 'grad', (i) => `v[at + ${i}u]`)};
    let newTop = max(top, score);
    let keep = exp(top - newTop);
    let p = exp(score - newTop);
    sum = sum * keep + p;
    along = along * keep + p * pull;
    top = newTop;
  }
  let known = vec2<f32>(top + log(sum), along / sum);
  for (var j = 0u; j <= s; j++) {
    if (isHidden(b, j, s)) { continue; }
    let at = keyPlace(b, j, g);
    ${eachValue(kind, (i) => `let key${i} = k[at + ${i}u];`)}
    let score = ${innerProduct(kind, 'query', (i) => `key${i}`)};
    let pull = ${innerProduct(kind, 'grad', (i) => `v[at + ${i}u]`)};
    let slope = exp(score - known.x) * (pull - known.y) * scale;
    ${eachValue(kind, (i) => `mix${i} += slope * key${i};`)}
  }
  ${eachValue(kind, (i) => `dq[item * N + ${i}u] = mix${i};`)}
  return known;
}`;

// Writes dk and dv of one key head; a hidden key is seen by its own position only.
const keyPart = (kind: HeadKind) => `
fn keyPart(b: u32, j: u32, g: u32) {
  let at = keyPlace(b, j, g);
  let share = sizes.heads / sizes.keyHeads;
  ${eachValue(kind, (i) => `let key${i} = k[at + ${i}u] * scale;\n    var mix${i} = V();`)}
  ${eachValue(kind, (i) => `let value${i} = v[at + ${i}u];\n    var second${i} = V();`)}
  let end = select(sizes.steps, j + 1u, isHidden(b, j, sizes.steps));
  for (var s = j; s < end; s++) {
    for (var own = 0u; own < share; own++) {
      let item = (b * sizes.steps + s) * sizes.heads + g * share + own;
      let known = statisticsOf(item, own * sizes.steps + s);
      ${eachValue(kind, (i) => `let query${i} = q[item * N + ${i}u];`)}
      ${eachValue(kind, (i) => `let grad${i} = dy[item * N + ${i}u];`)}
      let score = ${innerProduct(kind, 'key', (i) => `query${i}`)};
      let pull = ${innerProduct(kind, 'value', (i) => `grad${i}`)};
      let p = exp(score - known.x);
      let slope = p * (pull - known.y) * scale;
      ${eachValue(kind, (i) => `mix${i} += slope * query${i};\n    second${i} += p * grad${i};`)}
    }
  }
  ${eachValue(kind, (i) => `dk[at + ${i}u] = mix${i};\n    dv[at + ${i}u] = second${i};`)}
}`;

/** One thread for each query head: writes dq and `statistics`. */
export function queryGradient(kind: HeadKind): { functions: string; body: string } {
  return {
    functions: basics(kind) + isHidden + queryPart(kind),
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
    functions: `${basics(kind)}${isHidden}${keyPart(kind)}
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
    functions: `${basics(kind)}${isHidden}${queryPart(kind)}${keyPart(kind)}
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
