// The WGSL of a product with a matrix W [lines, columns], alone or together with a low-rank pair A [r, columns], B
// [lines, r]:
//   forward: y = x·Wᵀ + s·(x·Aᵀ)·Bᵀ
//   back: dx = dy·W + s·(dy·B)·A
// Both are sums over quads (groups of four numbers) of given numbers, and the narrow product (x·Aᵀ or dy·B) adds
// further quads to the sum. In the backward pass the narrow product is computed beforehand (pairWgsl.ts), because the
// gradient of A, which is computed together with dx, needs it too. There are three variants. `direct`, for software
// adapters, uses a thread for each tile and no barrier in the sum. `split`, for few rows on a graphics processor,
// divides the sum of a small tile among 64 threads. `tiled`, for many rows, computes 64 × 64 numbers from operands in
// the workgroup's memory.
import type { Text } from '../../webgpu/program/program.ts';
import { groupSize, reductions } from '../../webgpu/program/program.ts';
import { weightText, type WeightFormat } from '../frozen/wgsl.ts';

export type PassDirection = 'forward' | 'back';
export type Way = 'direct' | 'split' | 'tiled';

export interface ProductText {
  direction: PassDirection;
  format: WeightFormat;
  way: Way;
  /** The number of rows in a thread's tile; always eight for `tiled`. */
  rows: 1 | 2 | 4 | 8;
  /** The number of quads in a row of a thread's tile; always two for `tiled`. */
  quads: 1 | 2;
  /** The number of quads in a row of the narrow product; 0 if there is no pair. */
  narrow: number;
  /** Whether the narrow product is already computed; if so, it is in the array `narrow`. */
  isGiven: boolean;
  /** Whether B is read as groups of four numbers. */
  isQuadB: boolean;
  /** Whether the number of lines is not a multiple of four, so that rows of y and dy can begin at any offset. */
  isOdd: boolean;
  /** Whether the result is added to the existing values. */
  isAdded: boolean;
  /**
   * The number of quads of columns in a tile of A's gradient if the same program computes it together with dx,
   * otherwise 0.
   */
  ofA: 0 | 1 | 2;
}

export const each = (count: number, text: (i: number) => string, by = '\n    ') =>
  Array.from({ length: count }, (_, i) => text(i)).join(by);

interface Step {
  direction: PassDirection;
  rows: number;
  quads: number;
  /** WGSL that reads one quad of x (in the backward pass, of dy) in row r. */
  x: (r: number) => string;
  /**
   * WGSL that reads the matching quad of the matrix. In the forward pass, `line` is the index of a number in the tile.
   * In the backward pass, `line` is the index of a number in the sum, and `quad` the index of a quad in the tile.
   */
  w: (line: number, quad: number) => string;
  name?: string;
}

/**
 * WGSL that adds the products of one quad to the variables `sum{row}_{quad}`. They are separate variables and not an
 * array, because software adapters keep arrays in memory.
 */
export function step({ direction, rows, quads, x, w, name = 'sum' }: Step): string {
  const operands =
    direction === 'forward'
      ? each(4 * quads, (j) => `let w${j} = ${w(j, 0)};`)
      : each(4, (k) => each(quads, (c) => `let w${k}_${c} = ${w(k, c)};`));
  const product = (r: number, c: number) =>
    direction === 'forward'
      ? `vec4<f32>(${each(4, (j) => `dot(x${r}, w${4 * c + j})`, ', ')})`
      : each(4, (k) => `x${r}.${'xyzw'.charAt(k)} * w${k}_${c}`, ' + ');
  return `${operands}
    ${each(rows, (r) => `let x${r} = ${x(r)};`)}
    ${each(rows, (r) => each(quads, (c) => `${name}${r}_${c} += ${product(r, c)};`))}`;
}

export const sums = (rows: number, quads: number, name = 'sum') =>
  each(rows, (r) => each(quads, (c) => `var ${name}${r}_${c} = vec4<f32>();`));

/**
 * `aQuad` reads a quad of A along the columns. For a line past the rank, it reads the last line of A; the result is
 * later multiplied by zeros.
 */
export const aText = `
fn aQuad(line: u32, quad: u32) -> vec4<f32> { return a[min(line, sizes.rank - 1u) * (sizes.columns / 4u) + quad]; }`;

/** `bQuad` reads a quad of B along the rank. Numbers past the rank are zero. */
export const bText = (isQuads: boolean): string =>
  isQuads
    ? `
fn bQuad(line: u32, quad: u32) -> vec4<f32> { return b[min(line, sizes.lines - 1u) * (sizes.rank / 4u) + quad]; }`
    : `
fn bNumber(line: u32, at: u32) -> f32 {
  if (at >= sizes.rank) { return 0.0; }
  return b[line * sizes.rank + at];
}
fn bQuad(anyLine: u32, quad: u32) -> vec4<f32> {
  let line = min(anyLine, sizes.lines - 1u);
  let at = 4u * quad;
  return vec4<f32>(bNumber(line, at), bNumber(line, at + 1u), bNumber(line, at + 2u), bNumber(line, at + 3u));
}`;

// `xQuad` reads a quad of x or dy. If rows of dy can begin at any offset, it reads number by number; past the last line
// it returns zeros.
export const fromText = ({ direction, isOdd }: Pick<ProductText, 'direction' | 'isOdd'>) =>
  direction === 'forward'
    ? 'fn xQuad(row: u32, i: u32) -> vec4<f32> { return given[row * (sizes.columns / 4u) + i]; }'
    : isOdd
      ? `
fn xNumber(row: u32, line: u32) -> f32 {
  if (line >= sizes.lines) { return 0.0; }
  return given[row * sizes.allLines + sizes.firstLine + line];
}
fn xQuad(row: u32, i: u32) -> vec4<f32> {
  return vec4<f32>(xNumber(row, 4u * i), xNumber(row, 4u * i + 1u), xNumber(row, 4u * i + 2u), xNumber(row, 4u * i + 3u));
}`
      : 'fn xQuad(row: u32, i: u32) -> vec4<f32> { return given[row * (sizes.allLines / 4u) + sizes.firstLine / 4u + i]; }';

/** `put(row, quad, value)` writes four numbers of the result. */
function putText({ direction, isOdd, isAdded }: ProductText): string {
  if (direction === 'forward' && isOdd)
    return `
fn put(row: u32, quad: u32, value: vec4<f32>) {
  let at = row * sizes.allLines + sizes.firstLine + 4u * quad;
  let most = sizes.lines - 4u * quad;
  to[at] = value.x;
  if (most > 1u) { to[at + 1u] = value.y; }
  if (most > 2u) { to[at + 2u] = value.z; }
  if (most > 3u) { to[at + 3u] = value.w; }
}`;
  const at =
    direction === 'forward' ? '(sizes.allLines / 4u) + sizes.firstLine / 4u + quad' : '(sizes.columns / 4u) + quad';
  return `
fn put(row: u32, quad: u32, value: vec4<f32>) {
  let at = row * ${at};
  to[at] = value${isAdded ? ' + to[at]' : ''};
}`;
}

/** The number of quads in the sum, and in a row of the result. */
export const lengths = ({ direction }: Pick<ProductText, 'direction'>) => {
  const [lines, columns] = ['(sizes.lines + 3u) / 4u', 'sizes.columns / 4u'];
  return direction === 'forward' ? { inner: columns, across: lines } : { inner: lines, across: columns };
};

/** The smallest power of two that is at least `quads`. */
const powerOf = (quads: number) => 2 ** Math.ceil(Math.log2(quads));

/**
 * WGSL of the index of the line of W to read. After the last line, the last line is read again, but the results for it
 * are not written.
 */
const lineOf = (line: string) => `min(${line}, sizes.lines - 1u)`;

const mainW = (direction: PassDirection, quad: (c: number) => string, i: string) => (line: number, c: number) =>
  direction === 'forward'
    ? `wQuad(${lineOf(`4u * (${quad(Math.floor(line / 4))}) + ${line % 4}u`)}, ${i})`
    : `wQuad(${lineOf(`4u * ${i} + ${line}u`)}, ${quad(c)})`;

/** WGSL that reads quads of the matrix of the narrow product (A or B) for the group `quad`. */
export const narrowW =
  (direction: PassDirection, quad: (c: number) => string, i: string) => (line: number, c: number) =>
    direction === 'forward'
      ? `aQuad(4u * (${quad(Math.floor(line / 4))}) + ${line % 4}u, ${i})`
      : `bQuad(4u * ${i} + ${line}u, ${quad(c)})`;

/** WGSL that reads quads of the matrix with which the narrow product is multiplied (B or A). */
const wideW = (direction: PassDirection, quad: (c: number) => string, i: string) => (line: number, c: number) =>
  direction === 'forward'
    ? `bQuad(4u * (${quad(Math.floor(line / 4))}) + ${line % 4}u, ${i})`
    : `aQuad(4u * ${i} + ${line}u, ${quad(c)})`;

/**
 * WGSL in which all 64 threads sum the products for `rows` rows and `groups` quads into `parts`; thread t computes the
 * group t % groups.
 */
function shared({ direction, rows }: ProductText, groups: number, w: typeof mainW, quad: string): string {
  return `
    ${sums(rows, 1)}
    for (var i = lane / ${groups}u; i < inner; i += ${groupSize / groups}u) {
    ${step({ direction, rows, quads: 1, x: (r) => `xQuad(row${r}, i)`, w: w(direction, () => quad, 'i') })}
    }
    ${each(rows, (r) => `parts[${r * groupSize}u + lane] = sum${r}_0;`)}
    workgroupBarrier();`;
}

/** WGSL that adds the partial sums of all threads of a group, for row e / groups. */
const gathered = (groups: number) => `
      let at = e / ${groups}u * ${groupSize}u + e % ${groups}u;
      var all = parts[at];
      for (var s = 1u; s < ${groupSize / groups}u; s++) { all += parts[at + s * ${groups}u]; }`;

/**
 * WGSL that computes the narrow product of a workgroup's rows and writes it to `thin`. The first workgroup of these
 * rows also stores it for the backward pass.
 */
function narrowPhase(text: ProductText): string {
  const groups = powerOf(text.narrow);
  return `{
    ${shared(text, groups, narrowW, `min(lane % ${groups}u, ${text.narrow - 1}u)`)}
    for (var e = lane; e < ${text.rows * groups}u; e += ${groupSize}u) {
      ${gathered(groups)}
      thin[e] = all * sizes.scale;
      let row = first + e / ${groups}u;
      if (strip == 0u && row < sizes.rows && e % ${groups}u < ${text.narrow}u) { narrow[row * ${text.narrow}u + e % ${groups}u] = all; }
    }
    workgroupBarrier();
  }`;
}

const beginning = (text: ProductText, strips: string) => `
  let inner = ${lengths(text).inner};
  let across = ${lengths(text).across};
  let strips = ${strips};
  let strip = item % strips;
  let first = item / strips * ${text.rows}u;
  ${each(text.rows, (r) => `let row${r} = min(first + ${r}u, sizes.rows - 1u);`)}`;

const functionsOf = (text: ProductText) => `
${weightText(text.format)}
${text.narrow > 0 && !(text.direction === 'forward' && text.isGiven) ? aText : ''}
${text.narrow > 0 && text.direction === 'forward' ? bText(text.isQuadB) : ''}
${fromText(text)}
${putText(text)}`;

const sharedNumbers = ({ rows, narrow, way, isGiven }: ProductText) => `
${way === 'split' || (narrow > 0 && !isGiven) ? `var<workgroup> parts: array<vec4<f32>, ${rows * groupSize}>;` : ''}
${narrow > 0 && !isGiven ? `var<workgroup> thin: array<vec4<f32>, ${rows * powerOf(narrow)}>;` : ''}`;

/** WGSL that reads the offset and scale of a stored block only once for its eight quads. */
function blockwise(text: ProductText, at: string): string {
  const { rows, quads } = text;
  return `
    for (var block = 0u; block < inner / 8u; block++) {
    ${each(4 * quads, (j) => `let at${j} = blockAt(${lineOf(`4u * (${at}) + ${j}u`)}, 8u * block); let scale${j} = scaleOf(at${j});`)}
    for (var g = 0u; g < 8u; g++) {
    let i = 8u * block + g;
    ${step({ direction: 'forward', rows, quads, x: (r) => `xQuad(row${r}, i)`, w: (j) => `quad(at${j}, g) * scale${j}.x + scale${j}.y` })}
    }
    }`;
}

/** WGSL for the backward pass, in which the quads of a tile are in the same block of each line. */
const blocksAcross = ({ rows, quads }: ProductText) => `
    ${each(4, (k) => `let at${k} = blockAt(${lineOf(`4u * i + ${k}u`)}, column); let scale${k} = scaleOf(at${k});`)}
    ${step({ direction: 'back', rows, quads, x: (r) => `xQuad(row${r}, i)`, w: (k, c) => `quad(at${k}, (column & 7u) + ${c}u) * scale${k}.x + scale${k}.y` })}`;

/** WGSL in which one thread computes each tile, after its workgroup has computed the narrow product of its rows. */
function directText(text: ProductText): Text {
  const { direction, rows, quads, narrow } = text;
  const quad = (c: number) => `column + ${c}u`;
  const groups = powerOf(narrow);
  return {
    functions: functionsOf(text) + sharedNumbers(text),
    body: `${beginning(text, `(${lengths(text).across} + ${quads * groupSize - 1}u) / ${quads * groupSize}u`)}
  ${narrow > 0 && !text.isGiven ? narrowPhase(text) : ''}
  let column = (strip * ${groupSize}u + lane) * ${quads}u;
  if (column >= across) { return; }
  ${sums(rows, quads)}
  ${
    direction === 'forward' && text.format !== 'f32'
      ? blockwise(text, 'column')
      : `for (var i = 0u; i < inner; i++) {
    ${text.format === 'f32' ? step({ direction, rows, quads, x: (r) => `xQuad(row${r}, i)`, w: mainW(direction, quad, 'i') }) : blocksAcross(text)}
  }`
  }
  ${
    narrow > 0
      ? `for (var i = 0u; i < ${narrow}u; i++) {
    ${step({ direction, rows, quads, x: (r) => (text.isGiven ? `narrow[row${r} * ${narrow}u + i] * sizes.scale` : `thin[${r * groups}u + i]`), w: wideW(direction, quad, 'i') })}
  }`
      : ''
  }
  ${each(rows, (r) => each(quads, (c) => `if (first + ${r}u < sizes.rows && column + ${c}u < across) { put(first + ${r}u, column + ${c}u, sum${r}_${c}); }`))}`,
  };
}

/** The number of quads that a workgroup of the variant `split` computes in each of its rows. */
export const splitGroups = 4;

/** WGSL in which 64 threads divide the sums of a few rows and sixteen columns among themselves. */
function splitText(text: ProductText): Text {
  const { direction, rows, narrow } = text;
  const groups = powerOf(narrow);
  return {
    functions: functionsOf(text) + sharedNumbers(text),
    body: `${beginning(text, `(${lengths(text).across} + ${splitGroups - 1}u) / ${splitGroups}u`)}
  ${narrow > 0 && !text.isGiven ? narrowPhase(text) : ''}
  let own = min(strip * ${splitGroups}u + lane % ${splitGroups}u, across - 1u);
  ${shared(text, splitGroups, mainW, 'own')}
  for (var e = lane; e < ${rows * splitGroups}u; e += ${groupSize}u) {
    ${gathered(splitGroups)}
    let line = e / ${splitGroups}u;
    let column = strip * ${splitGroups}u + e % ${splitGroups}u;
    var sum0_0 = all;
    ${
      narrow > 0
        ? `for (var i = 0u; i < ${narrow}u; i++) {
    ${step({
      direction,
      rows: 1,
      quads: 1,
      x: () =>
        text.isGiven
          ? `narrow[min(first + line, sizes.rows - 1u) * ${narrow}u + i] * sizes.scale`
          : `thin[line * ${groups}u + i]`,
      w: wideW(direction, () => 'column', 'i'),
    })}
    }`
        : ''
    }
    if (first + line < sizes.rows && column < across) { put(first + line, column, sum0_0); }
  }`,
  };
}

/**
 * The number of rows and columns in a tile, and the number of quads along the sum that are in workgroup memory at the
 * same time.
 */
export const tileSize = 64;
const depth = 4;

/**
 * WGSL in which each of 64 threads computes eight rows and two quads of a tile. The rows and quads of a thread are not
 * adjacent, so that neighbouring threads read neighbouring numbers. Each thread also adds the narrow product of one row
 * to the sum.
 */
function tiledText(text: ProductText): Text {
  const { direction, narrow, isGiven } = text;
  const isForward = direction === 'forward';
  const isOwn = narrow > 0 && !isGiven;
  // The distance between the lines of a tile in workgroup memory. It is one more than the size of the tile, so that
  // quads of the same row are in different memory banks.
  const stride = tileSize + 1;
  const [lines, perLine] = isForward ? [tileSize, depth] : [4 * depth, tileSize / 4];
  const place = isForward ? `(e % ${depth}u) * ${stride}u + e / ${depth}u` : `e / ${perLine}u * 17u + e % ${perLine}u`;
  const wide = isForward ? depth * stride : 4 * depth * 17;
  const tall = 4 * narrow * depth;
  const beyond = isForward ? 'k + e % 4u >= inner' : '4u * k + e / 16u >= sizes.lines';
  const quadOf = (c: number) => `column + tx + ${8 * c}u`;
  const forwardLine = (j: number) => `4u * column + tx + ${8 * j}u`;
  return {
    functions: `${functionsOf(text)}
var<workgroup> xs: array<vec4<f32>, ${depth * stride}>;
var<workgroup> ws: array<vec4<f32>, ${wide}>;
${isOwn ? `var<workgroup> tall: array<vec4<f32>, ${tall}>;\nvar<workgroup> thin: array<vec4<f32>, ${tileSize * narrow}>;` : ''}`,
    body: `
  let inner = ${lengths(text).inner};
  let across = ${lengths(text).across};
  let strips = (across + 15u) / 16u;
  let strip = item % strips;
  let first = item / strips * ${tileSize}u;
  let column = strip * 16u;
  let tx = lane % 8u;
  let ty = lane / 8u;
  ${sums(8, 2)}
  ${isOwn ? sums(1, narrow, 'own') : ''}
  for (var k = 0u; k < inner; k += ${depth}u) {
    for (var e = lane; e < ${tileSize * depth}u; e += ${groupSize}u) {
      var value = vec4<f32>();
      if (k + e % ${depth}u < inner) { value = xQuad(min(first + e / ${depth}u, sizes.rows - 1u), k + e % ${depth}u); }
      xs[(e % ${depth}u) * ${stride}u + e / ${depth}u] = value;
    }
    for (var e = lane; e < ${lines * perLine}u; e += ${groupSize}u) {
      var value = vec4<f32>();
      if (!(${beyond})) { value = ${
        isForward
          ? `wQuad(${lineOf(`4u * column + e / ${depth}u`)}, k + e % ${depth}u)`
          : `wQuad(4u * k + e / ${perLine}u, min(column + e % ${perLine}u, across - 1u))`
      }; }
      ws[${place}] = value;
    }
    ${
      isOwn
        ? `for (var e = lane; e < ${tall}u; e += ${groupSize}u) {
      tall[e] = aQuad(e / ${depth}u, min(k + e % ${depth}u, inner - 1u));
    }`
        : ''
    }
    workgroupBarrier();
    for (var i = 0u; i < ${depth}u; i++) {
    ${step({
      ...{ direction, rows: 8, quads: 2 },
      x: (r) => `xs[i * ${stride}u + ty + ${8 * r}u]`,
      w: (line, c) =>
        isForward ? `ws[i * ${stride}u + tx + ${8 * line}u]` : `ws[(4u * i + ${line}u) * 17u + tx + ${8 * c}u]`,
    })}
    ${
      isOwn
        ? `{
    ${step({
      ...{ direction, rows: 1, quads: narrow, name: 'own' },
      x: () => `xs[i * ${stride}u + lane]`,
      w: (line) => `tall[${line * depth}u + i]`,
    })}
    }`
        : ''
    }
    }
    workgroupBarrier();
  }
  ${
    isOwn
      ? `${each(narrow, (c) => `thin[lane * ${narrow}u + ${c}u] = own0_${c} * sizes.scale;`)}
  if (strip == 0u && first + lane < sizes.rows) {
    ${each(narrow, (c) => `narrow[(first + lane) * ${narrow}u + ${c}u] = own0_${c};`)}
  }
  workgroupBarrier();`
      : ''
  }
  ${
    narrow > 0
      ? `for (var i = 0u; i < ${narrow}u; i++) {
    ${step({
      ...{ direction, rows: 8, quads: 2 },
      x: (r) =>
        isGiven
          ? `narrow[min(first + ty + ${8 * r}u, sizes.rows - 1u) * ${narrow}u + i] * sizes.scale`
          : `thin[(ty + ${8 * r}u) * ${narrow}u + i]`,
      w: (line, c) =>
        isForward ? `bQuad(${forwardLine(line)}, i)` : `aQuad(4u * i + ${line}u, min(${quadOf(c)}, across - 1u))`,
    })}
  }`
      : ''
  }
  ${each(8, (r) => {
    const row = `first + ty + ${8 * r}u`;
    const quads = each(2, (c) =>
      isForward
        ? each(4, (j) => `putOne(${row}, ${forwardLine(4 * c + j)}, sum${r}_${c}.${'xyzw'.charAt(j)});`)
        : `if (${quadOf(c)} < across) { put(${row}, ${quadOf(c)}, sum${r}_${c}); }`,
    );
    return `if (${row} < sizes.rows) { ${quads} }`;
  })}`,
  };
}

// WGSL that writes a single number. In the forward pass the columns of a thread are eight apart, so they cannot be
// written as quads.
const putOneText = `
fn putOne(row: u32, line: u32, value: f32) {
  if (line < sizes.lines) { to[row * sizes.allLines + sizes.firstLine + line] = value; }
}`;

const written = { direct: directText, split: splitText, tiled: tiledText };

export function productText(text: ProductText): Text {
  const { functions = '', body } = written[text.way](text);
  // In the forward pass, tiles are written number by number, so `putOne` replaces the function that writes quads.
  const fitting =
    text.direction === 'forward' && text.way === 'tiled' ? functions.replace(putText(text), putOneText) : functions;
  if (text.ofA === 0) return { functions: fitting, body };
  const isTeam = text.way !== 'direct';
  return {
    functions: fitting + gradAText(isTeam, text.ofA, text.narrow),
    body: `
  if (item >= sizes.products) {
    ofA(item - sizes.products, lane);
  } else {${body}
  }`,
  };
}

/**
 * WGSL of dA[q, i] = s·Σ dNarrow[n, q]·x[n, i]. One thread computes a tile of four lines, or a workgroup whose threads
 * divide the rows n among themselves.
 */
function gradAText(isTeam: boolean, tile: 1 | 2, quads: number): string {
  const cells = (text: (line: number, c: number) => string) => each(4, (line) => each(tile, (c) => text(line, c)));
  const place = (line: number) => `4u * q + ${line}u`;
  return `${reductions(isTeam ? 'team' : 'solo', 'vec4<f32>')}
fn ofA(item: u32, lane: u32) {
  let tiles = sizes.columns / ${4 * tile}u;
  let at = ${isTeam ? 'item' : `item * ${groupSize}u + lane`};
  if (at >= tiles * ${quads}u) { return; }
  let q = at / tiles;
  let column = at % tiles * ${tile}u;
  ${cells((line, c) => `var sum${line}_${c} = vec4<f32>();`)}
  for (var n = ${isTeam ? 'lane' : '0u'}; n < sizes.rows; n += ${isTeam ? groupSize : 1}u) {
    let g = narrow[n * ${quads}u + q];
    ${each(tile, (c) => `let x${c} = x[n * (sizes.columns / 4u) + column + ${c}u];`)}
    ${cells((line, c) => `sum${line}_${c} += g.${'xyzw'.charAt(line)} * x${c};`)}
  }
  ${cells((line, c) => `let all${line}_${c} = total(sum${line}_${c}, lane) * sizes.scale;`)}
  ${isTeam ? 'if (lane > 0u) { return; }' : ''}
  ${cells((line, c) => `if (${place(line)} < sizes.rank) { da[(${place(line)}) * (sizes.columns / 4u) + column + ${c}u] = all${line}_${c}; }`)}
}`;
}
