// The texts of the linear map and its gradients: each thread owns a tile of 4×4 numbers in registers and reads its
// operands by fours straight from memory; eight reads feed 64 multiply-adds.
import { reductions, type Variant } from './recorder.ts';

const quad = (text: (r: string) => string) => ['0', '1', '2', '3'].map(text).join('\n    ');
// Named, not an array: software adapters keep arrays in memory.
const tile = quad((r) => `var sum${r} = vec4<f32>();`);
const rowsOfTile = quad((r) => `let row${r} = min(n + ${r}u, sizes.rows - 1u);`);
const writeRows = (name: string, column: string) =>
  quad((r) => `if (n + ${r}u < sizes.rows) { ${name}[(n + ${r}u) * across + ${column}] = sum${r}; }`);

// y[n, o] = Σ x[n, i]·w[o, i]: both operands run along the sum. Rows past the end repeat the last and are not written.
const forwardBody = `
  let across = sizes.outs / 4u;
  if (item >= across * ((sizes.rows + 3u) / 4u)) { return; }
  let n = item / across * 4u;
  let o = item % across * 4u;
  let inner = sizes.inner / 4u;
  ${rowsOfTile}
  ${tile}
  for (var i = 0u; i < inner; i++) {
    let w0 = w[o * inner + i];
    let w1 = w[(o + 1u) * inner + i];
    let w2 = w[(o + 2u) * inner + i];
    let w3 = w[(o + 3u) * inner + i];
    ${quad(
      (r) => `let x${r} = x[row${r} * inner + i];
    sum${r} += vec4<f32>(dot(x${r}, w0), dot(x${r}, w1), dot(x${r}, w2), dot(x${r}, w3));`,
    )}
  }
  ${writeRows('y', 'o / 4u')}`;

// dx[n, i] = Σ dy[n, o]·w[o, i]
const inputPart = `
fn inputPart(item: u32) {
  let across = sizes.inner / 4u;
  if (item >= across * ((sizes.rows + 3u) / 4u)) { return; }
  let n = item / across * 4u;
  let column = item % across;
  let outs = sizes.outs / 4u;
  ${rowsOfTile}
  ${tile}
  for (var o = 0u; o < outs; o++) {
    let w0 = w[o * 4u * across + column];
    let w1 = w[(o * 4u + 1u) * across + column];
    let w2 = w[(o * 4u + 2u) * across + column];
    let w3 = w[(o * 4u + 3u) * across + column];
    ${quad(
      (r) => `let g${r} = dy[row${r} * outs + o];
    sum${r} += g${r}.x * w0 + g${r}.y * w1 + g${r}.z * w2 + g${r}.w * w3;`,
    )}
  }
  ${writeRows('dx', 'column')}
}`;

// dw[o, i] = Σ dy[n, o]·x[n, i], the rows n shared out among the lanes.
const weightPart = `
fn weightPart(item: u32, lane: u32) {
  let across = sizes.inner / 4u;
  let outs = sizes.outs / 4u;
  if (item >= across * outs) { return; }
  let o = item / across;
  let column = item % across;
  ${tile}
  for (var n = lane; n < sizes.rows; n += lanes) {
    let g = dy[n * outs + o];
    let value = x[n * across + column];
    sum0 += g.x * value;
    sum1 += g.y * value;
    sum2 += g.z * value;
    sum3 += g.w * value;
  }
  ${quad((r) => `let all${r} = total(sum${r}, lane);`)}
  if (lane == 0u) {
    ${quad((r) => `dw[(o * 4u + ${r}u) * across + column] = all${r};`)}
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
