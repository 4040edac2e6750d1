// The texts of the linear map and its gradients: each thread owns a tile of 4×4 numbers in registers and reads its
// operands by fours straight from memory; eight reads feed 64 multiply-adds.
import { reductions, type Variant } from './recorder.ts';

const rowsOfTile = (n: string, count: string) =>
  [0, 1, 2, 3].map((r) => `let row${r} = min(${n} + ${r}u, ${count} - 1u);`).join('\n    ');

// y[n, o] = Σ x[n, i]·w[o, i]: both operands run along the sum. Rows past the end repeat the last and are not written.
const forwardBody = `
  let across = sizes.outs / 4u;
  if (item >= across * ((sizes.rows + 3u) / 4u)) { return; }
  let n = item / across * 4u;
  let o = item % across * 4u;
  let inner = sizes.inner / 4u;
  ${rowsOfTile('n', 'sizes.rows')}
  var sums: array<vec4<f32>, 4>;
  for (var i = 0u; i < inner; i++) {
    let w0 = w[o * inner + i];
    let w1 = w[(o + 1u) * inner + i];
    let w2 = w[(o + 2u) * inner + i];
    let w3 = w[(o + 3u) * inner + i];
    ${[0, 1, 2, 3]
      .map(
        (r) => `let x${r} = x[row${r} * inner + i];
    sums[${r}] += vec4<f32>(dot(x${r}, w0), dot(x${r}, w1), dot(x${r}, w2), dot(x${r}, w3));`,
      )
      .join('\n    ')}
  }
  for (var r = 0u; r < min(4u, sizes.rows - n); r++) { y[(n + r) * across + o / 4u] = sums[r]; }`;

// dx[n, i] = Σ dy[n, o]·w[o, i]
const inputPart = `
fn inputPart(item: u32) {
  let across = sizes.inner / 4u;
  if (item >= across * ((sizes.rows + 3u) / 4u)) { return; }
  let n = item / across * 4u;
  let column = item % across;
  let outs = sizes.outs / 4u;
  ${rowsOfTile('n', 'sizes.rows')}
  var sums: array<vec4<f32>, 4>;
  for (var o = 0u; o < outs; o++) {
    let w0 = w[o * 4u * across + column];
    let w1 = w[(o * 4u + 1u) * across + column];
    let w2 = w[(o * 4u + 2u) * across + column];
    let w3 = w[(o * 4u + 3u) * across + column];
    ${[0, 1, 2, 3]
      .map(
        (r) => `let g${r} = dy[row${r} * outs + o];
    sums[${r}] += g${r}.x * w0 + g${r}.y * w1 + g${r}.z * w2 + g${r}.w * w3;`,
      )
      .join('\n    ')}
  }
  for (var r = 0u; r < min(4u, sizes.rows - n); r++) { dx[(n + r) * across + column] = sums[r]; }
}`;

// dw[o, i] = Σ dy[n, o]·x[n, i], the rows n shared out among the lanes.
const weightPart = `
fn weightPart(item: u32, lane: u32) {
  let across = sizes.inner / 4u;
  let outs = sizes.outs / 4u;
  if (item >= across * outs) { return; }
  let o = item / across;
  let column = item % across;
  var sums: array<vec4<f32>, 4>;
  for (var n = lane; n < sizes.rows; n += lanes) {
    let g = dy[n * outs + o];
    let value = x[n * across + column];
    sums[0] += g.x * value;
    sums[1] += g.y * value;
    sums[2] += g.z * value;
    sums[3] += g.w * value;
  }
  for (var r = 0u; r < 4u; r++) {
    let sum = total(sums[r], lane);
    if (lane == 0u) { dw[(o * 4u + r) * across + column] = sum; }
  }
}`;

/** One item for each tile of y. */
export const linearText = { body: forwardBody };

/** dx and dw in one program: first the workgroups of dx, one tile a thread, then those of dw, one tile an item. */
export function linearGradText(variant: Variant): { functions: string; body: string } {
  return {
    functions: `${reductions(variant, 'vec4<f32>')}${inputPart}${weightPart}`,
    body: `
  if (block < sizes.inputBlocks) {
    inputPart(block * 64u + thread);
  } else {
    weightPart(item - sizes.inputBlocks * ${variant === 'team' ? '1u' : '64u'}, lane);
  }`,
  };
}
