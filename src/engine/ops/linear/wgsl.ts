// The WGSL programs of the linear map and its gradients. Each thread computes a tile of numbers in registers, and reads
// its operands from memory in groups of four. With a tile of 4×4, each read is used for 8 multiply-adds, and there are
// enough threads for a graphics processor. With a tile of 8×8, each read is used for 16; this is better for software
// adapters, where a read takes longer than arithmetic. If there are few tiles (for a token that is being decoded, or
// for the gradient of a weight), the threads of a workgroup divide the sum of each tile among themselves.
import { groupSize, type Text, type Variant } from '../../webgpu/program/program.ts';

/**
 * The size of the tiles. For rows past the end of a matrix, the last row is computed again and not written. The number
 * of columns must be a multiple of the width of a tile.
 */
export interface Tile {
  rows: 4 | 8;
  columns: 4 | 8;
}

const each = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('\n    ');
const cells = ({ rows, columns }: Tile, text: (r: number, c: number) => string) =>
  each(rows, (r) => each(columns / 4, (c) => text(r, c)));
// The sums are separate variables and not an array, because software adapters keep arrays in memory.
const sums = (tile: Tile) => cells(tile, (r, c) => `var sum${r}_${c} = vec4<f32>();`);
const rowsOf = ({ rows }: Tile) => each(rows, (r) => `let row${r} = min(n + ${r}u, sizes.rows - 1u);`);
const writeRows = (tile: Tile, name: string) =>
  cells(
    tile,
    (r, c) => `if (n + ${r}u < sizes.rows) { ${name}[(n + ${r}u) * across + column + ${c}u] = sum${r}_${c}; }`,
  );

/**
 * Adds the sums of all lanes for the four rows of a workgroup's tile. Each of the lanes 0 to 3 returns the sum of one
 * row.
 */
const fold = `
var<workgroup> parts: array<vec4<f32>, ${4 * groupSize}>;
fn fold(row0: vec4<f32>, row1: vec4<f32>, row2: vec4<f32>, row3: vec4<f32>, lane: u32) -> vec4<f32> {
  ${each(4, (r) => `parts[${r * groupSize}u + lane] = row${r};`)}
  workgroupBarrier();
  let own = lane / 16u * ${groupSize}u + lane % 16u;
  let few = parts[own] + parts[own + 16u] + parts[own + 32u] + parts[own + 48u];
  workgroupBarrier();
  parts[own] = few;
  workgroupBarrier();
  var all = vec4<f32>();
  if (lane < 4u) {
    for (var i = 0u; i < 16u; i++) { all += parts[lane * ${groupSize}u + i]; }
  }
  return all;
}`;

/** Computes `n`, the first row of the tile, and `column`, its first group of four columns. */
const placeOf = (tile: Tile, columns: string) => `
  let across = ${columns} / 4u;
  let tiles = ${columns} / ${tile.columns}u;
  if (item >= tiles * ((sizes.rows + ${tile.rows - 1}u) / ${tile.rows}u)) { return; }
  let n = item / tiles * ${tile.rows}u;
  let column = item % tiles * ${tile.columns / 4}u;
  ${rowsOf(tile)}
  ${sums(tile)}`;

/**
 * y[n, o] = Σ x[n, i]·w[o, i], with one thread or workgroup for each tile of y. Along the sum, the numbers of both
 * operands are adjacent in memory.
 */
export function linearText(variant: Variant, tile: Tile): Text {
  const products = (r: number, c: number) =>
    `vec4<f32>(${[0, 1, 2, 3].map((j) => `dot(x${r}, w${4 * c + j})`).join(', ')})`;
  return {
    functions: variant === 'team' ? fold : '',
    body: `${placeOf(tile, 'sizes.outs')}
  let inner = sizes.inner / 4u;
  for (var i = lane; i < inner; i += lanes) {
    ${each(tile.columns, (j) => `let w${j} = w[(column * 4u + ${j}u) * inner + i];`)}
    ${each(tile.rows, (r) => `let x${r} = x[row${r} * inner + i];`)}
    ${cells(tile, (r, c) => `sum${r}_${c} += ${products(r, c)};`)}
  }
  ${
    variant === 'team'
      ? `let all = fold(sum0_0, sum1_0, sum2_0, sum3_0, lane);
  if (lane < 4u && n + lane < sizes.rows) { y[(n + lane) * across + column] = all; }`
      : writeRows(tile, 'y')
  }`,
  };
}

// dx[n, i] = Σ dy[n, o]·w[o, i]
const inputPart = (tile: Tile) => `
fn inputPart(item: u32) {${placeOf(tile, 'sizes.inner')}
  let outs = sizes.outs / 4u;
  for (var o = 0u; o < outs; o++) {
    ${each(4, (j) => each(tile.columns / 4, (c) => `let w${j}_${c} = w[(o * 4u + ${j}u) * across + column + ${c}u];`))}
    ${each(tile.rows, (r) => `let g${r} = dy[row${r} * outs + o];`)}
    ${cells(tile, (r, c) => `sum${r}_${c} += ${['x', 'y', 'z', 'w'].map((j, at) => `g${r}.${j} * w${at}_${c}`).join(' + ')};`)}
  }
  ${writeRows(tile, 'dx')}
}`;

// dw[o, i] = Σ dy[n, o]·x[n, i]; the lanes divide the rows n among themselves.
const weightPart = (variant: Variant, tile: Tile) => `
fn weightPart(item: u32, lane: u32) {
  let across = sizes.inner / 4u;
  let outs = sizes.outs / 4u;
  let tiles = sizes.inner / ${tile.columns}u;
  let o = item / tiles * ${tile.rows / 4}u;
  let column = item % tiles * ${tile.columns / 4}u;
  ${sums(tile)}
  for (var n = lane; n < sizes.rows; n += lanes) {
    ${each(tile.rows / 4, (a) => `let g${a} = dy[n * outs + o + ${a}u];`)}
    ${each(tile.columns / 4, (c) => `let x${c} = x[n * across + column + ${c}u];`)}
    ${cells(tile, (r, c) => `sum${r}_${c} += g${Math.floor(r / 4)}.${'xyzw'.charAt(r % 4)} * x${c};`)}
  }
  ${
    variant === 'team'
      ? `let all = fold(sum0_0, sum1_0, sum2_0, sum3_0, lane);
  if (lane < 4u) { dw[(o * 4u + lane) * across + column] = all; }`
      : cells(tile, (r, c) => `dw[(o * 4u + ${r}u) * across + column + ${c}u] = sum${r}_${c};`)
  }
}`;

/** Computes dx alone, with one thread for each tile. */
export const inputGradText = (tile: Tile): Text => ({ functions: inputPart(tile), body: 'inputPart(item);' });

/**
 * Computes dx and dw in one program. The first workgroups compute dx, one tile per thread; the others compute dw, one
 * tile per item.
 */
export function linearGradText(variant: Variant, tiles: { dx: Tile; dw: Tile }): Text {
  return {
    functions: (variant === 'team' ? fold : '') + inputPart(tiles.dx) + weightPart(variant, tiles.dw),
    body: `
  if (block < sizes.inputBlocks) {
    inputPart(block * ${groupSize}u + thread);
  } else {
    weightPart(item - sizes.inputBlocks * ${variant === 'team' ? 1 : groupSize}u, lane);
  }`,
  };
}
