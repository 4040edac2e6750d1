// Products with a frozen matrix on WebGPU. This module chooses the program according to the number of rows, and divides
// a matrix that is too large to be bound as a whole.
import type * as tf from '@tensorflow/tfjs-core';
import { as } from '../../webgpu/program/kernel.ts';
import type { Program, Slot } from '../../webgpu/program/program.ts';
import type { Recorder } from '../../webgpu/program/recorder.ts';
import { frozenRowBytes } from '../frozen/frozenMatrix.ts';
import type { WeightFormat } from '../frozen/wgsl.ts';
import { narrowText } from './pairWgsl.ts';
import { type PassDirection, type ProductText, productText, splitGroups, tileSize, type Way } from './productWgsl.ts';

/** A matrix [lines, columns] on the device. */
export interface Weight {
  info: tf.TensorInfo;
  format: WeightFormat;
  lines: number;
  columns: number;
}

/**
 * A low-rank pair A [rank, columns] and B [lines, rank] that belongs to the matrix, and the factor of the pair's
 * product.
 */
export interface Pair {
  a: tf.TensorInfo;
  b: tf.TensorInfo;
  rank: number;
  scale: number;
}

export interface Product {
  direction: PassDirection;
  /** x [N, columns] in the forward pass, dy [N, lines] in the backward pass. */
  from: tf.TensorInfo;
  weight: Weight;
  pair?: Pair;
  /** The kind of program to use; if it is absent, `wayOf` chooses one. */
  way?: Way;
}

/**
 * The result: y [N, lines] or dx [N, columns]. With a pair, there is also the narrow product x·Aᵀ [N, rank] before
 * scaling, whose rows are padded to whole quads.
 */
export interface Multiplied {
  to: tf.TensorInfo;
  narrow?: tf.TensorInfo;
}

/** Tensors of the forward pass that the backward pass of a pair needs in addition to dy. */
export interface Passed {
  x: tf.TensorInfo;
  narrow: tf.TensorInfo;
}

export interface PairGradients {
  dx: tf.TensorInfo;
  da: tf.TensorInfo;
  db: tf.TensorInfo;
}

/** A part of a matrix: its lines, and the part of the buffer that is bound. */
export interface MatrixPart {
  slot: Slot;
  first: number;
  lines: number;
  /** The offset of the first line in the binding, counted in quads for f32 and otherwise in half words. */
  start: number;
}

/** The number of tiles above which a graphics processor has enough work. */
const manyTiles = 256;
/** A binding must start at a multiple of this many bytes; this is enough for every device. */
const bindingStep = 256;
/**
 * If the narrow product has at most this many quads per row, the programs with large tiles compute it themselves.
 * Otherwise it has a separate dispatch.
 */
const mostQuadsInTile = 4;
/**
 * For at most this many rows, software adapters compute the narrow product in the same dispatch as the large one. For
 * more rows, the narrow product has a separate dispatch, because a common dispatch would need barriers, which are slow
 * on software adapters.
 */
const fewRows = 8;

export const lineBytes = ({ format, columns }: Pick<Weight, 'format' | 'columns'>): number =>
  format === 'f32' ? 4 * columns : frozenRowBytes({ format, columns });

/**
 * Divides a matrix into parts that the device can bind. In every part but the last, the number of lines is a multiple
 * of four.
 */
export function partsOfWeight({ backend: { device } }: Recorder, weight: Weight): MatrixPart[] {
  const { info, format, lines } = weight;
  const [most, each] = [device.limits.maxStorageBufferBindingSize, lineBytes(weight)];
  const type = format === 'f32' ? 'vec4<f32>' : 'u32';
  const total = Math.ceil((lines * each) / 4) * 4;
  if (total <= most) return [{ slot: as(type, info), first: 0, lines, start: 0 }];
  const perPart = Math.max(4, Math.floor((most - bindingStep - 4) / each / 4) * 4);
  return Array.from({ length: Math.ceil(lines / perPart) }, (_, i) => {
    const first = i * perPart;
    const count = Math.min(perPart, lines - first);
    const offset = Math.floor((first * each) / bindingStep) * bindingStep;
    const size = Math.min(Math.ceil(((first + count) * each - offset) / 4) * 4, total - offset);
    const start = (first * each - offset) / (format === 'f32' ? 16 : 2);
    return { slot: { ...as(type, info), stretch: { offset, size } }, first, lines: count, start };
  });
}

/**
 * Computes one product. With a pair, the whole matrix must fit in one binding, and its numbers of lines and columns
 * must be multiples of four.
 */
export function multiply(recorder: Recorder, product: Product): Multiplied {
  const { direction, from, weight, pair } = product;
  const rows = from.shape[0] as number;
  const way = product.way ?? wayOf(recorder, product);
  if (!pair) return { to: run(recorder, { ...product, way }) };
  const quads = Math.ceil(pair.rank / 4);
  const isGiven = (way === 'tiled' && quads > mostQuadsInTile) || (way === 'direct' && rows > fewRows);
  const narrow = recorder.allocate([rows, 4 * quads]);
  if (isGiven)
    recorder.run({
      program: narrowProgram(recorder, direction, pair),
      writes: { narrow: as('vec4<f32>', narrow) },
      reads: { given: as('vec4<f32>', from), a: as('vec4<f32>', pair.a) },
      sizes: { rows, columns: weight.columns, rank: pair.rank, quads },
      items: Math.ceil(rows / 4) * quads,
    });
  return { to: run(recorder, { ...product, way, narrow, isGiven }), narrow };
}

/** The gradients of y with respect to x, A and B, in two dispatches. */
export function multiplyBack(
  recorder: Recorder,
  product: Omit<Product, 'direction'> & { pair: Pair },
  { x, narrow }: Passed,
): PairGradients {
  const { from, weight, pair } = product;
  const { lines, columns } = weight;
  const [rows, quads] = [from.shape[0] as number, Math.ceil(pair.rank / 4)];
  const [dNarrow, db] = [recorder.allocate([rows, 4 * quads]), recorder.allocate(pair.b.shape)];
  const tiles = Math.ceil(rows / 4) * quads;
  recorder.run({
    program: narrowProgram(recorder, 'back', pair),
    writes: { narrow: as('vec4<f32>', dNarrow), db: ofB(pair, db) },
    reads: { given: as('vec4<f32>', from), b: ofB(pair, pair.b), kept: as('vec4<f32>', narrow) },
    sizes: { rows, columns, lines, allLines: lines, firstLine: 0, rank: pair.rank, quads, tiles },
    constants: { scale: pair.scale },
    items: tiles + (lines / 4) * quads,
  });
  const da = recorder.allocate(pair.a.shape);
  const way = product.way ?? wayOf(recorder, { ...product, direction: 'back' });
  const dx = run(recorder, { ...product, direction: 'back', way, narrow: dNarrow, isGiven: true, ofA: { x, da } });
  recorder.release(dNarrow);
  return { dx, da, db };
}

const ofB = ({ rank }: Pair, info: tf.TensorInfo) => as(rank % 4 === 0 ? 'vec4<f32>' : 'f32', info);

function narrowProgram({ variant }: Recorder, direction: PassDirection, { rank }: Pair): Program {
  const isQuadB = rank % 4 === 0;
  const text = () => narrowText(variant, direction, isQuadB);
  return { key: `Narrow ${direction} ${isQuadB}`, variant, text };
}

interface Run extends Product {
  way: Way;
  narrow?: tf.TensorInfo;
  isGiven?: boolean;
  ofA?: { x: tf.TensorInfo; da: tf.TensorInfo };
}

/** Runs one dispatch for each part of the matrix. */
function run(
  recorder: Recorder,
  { direction, from, weight, pair, way, narrow, isGiven = false, ofA }: Run,
): tf.TensorInfo {
  const { columns, lines: allLines } = weight;
  const [rows, isForward] = [from.shape[0] as number, direction === 'forward'];
  const across = acrossOf(weight, direction);
  const to = recorder.allocate([rows, isForward ? allLines : columns]);
  for (const { slot, first, lines, start } of partsOfWeight(recorder, weight)) {
    const text: ProductText = {
      ...{ direction, way, format: weight.format, isGiven },
      narrow: pair ? Math.ceil(pair.rank / 4) : 0,
      rows: way === 'tiled' || rows > 4 ? 8 : rows > 2 ? 4 : (rows as 1 | 2),
      quads: way === 'direct' && across % 2 === 1 ? 1 : 2,
      isQuadB: pair !== undefined && pair.rank % 4 === 0,
      isOdd: allLines % 4 !== 0,
      isAdded: !isForward && first > 0,
      ofA: ofA ? (way === 'direct' && columns % 8 === 0 ? 2 : 1) : 0,
    };
    const perStrip = { direct: 64 * text.quads, split: splitGroups, tiled: tileSize / 4 }[way];
    const strips = Math.ceil((isForward ? Math.ceil(lines / 4) : across) / perStrip);
    const products = Math.ceil(rows / (way === 'tiled' ? tileSize : text.rows)) * strips;
    const tilesOfA = text.ofA && (text.narrow * columns) / 4 / text.ofA;
    const isNumbers = isForward && (way === 'tiled' || text.isOdd);
    const kept = narrow && { narrow: as('vec4<f32>', narrow) };
    recorder.run({
      program: { key: `Product ${Object.values(text).join(' ')}`, variant: 'team', text: () => productText(text) },
      writes: {
        to: as(isNumbers ? 'f32' : 'vec4<f32>', to),
        ...(!isGiven && kept),
        ...(ofA && { da: as('vec4<f32>', ofA.da) }),
      },
      reads: {
        given: as(!isForward && text.isOdd ? 'f32' : 'vec4<f32>', from),
        w: slot,
        ...(pair && !(isForward && isGiven) && { a: as('vec4<f32>', pair.a) }),
        ...(pair && isForward && { b: ofB(pair, pair.b) }),
        ...(isGiven && kept),
        ...(ofA && { x: as('vec4<f32>', ofA.x) }),
      },
      sizes: { rows, columns, lines, allLines, firstLine: first, start, products, ...(pair && { rank: pair.rank }) },
      ...(pair && { constants: { scale: pair.scale } }),
      items: products + (way === 'direct' ? Math.ceil(tilesOfA / 64) : tilesOfA),
    });
  }
  return to;
}

/** Quads in a row of the result. */
const acrossOf = ({ lines, columns }: Weight, direction: PassDirection) =>
  direction === 'forward' ? Math.ceil(lines / 4) : columns / 4;

function wayOf({ variant }: Recorder, product: Product): Way {
  if (variant === 'solo') return 'direct';
  return hasManyTiles(product) ? 'tiled' : 'split';
}

function hasManyTiles({ direction, from, weight }: Product): boolean {
  const [rows, across] = [from.shape[0] as number, acrossOf(weight, direction)];
  return Math.ceil(rows / tileSize) * Math.ceil((4 * across) / tileSize) >= manyTiles;
}

/**
 * Whether a program of this file computes the float32 product, because the kernels for small matrices do not support
 * the product or are slower for it.
 */
export function wantsProduct(recorder: Recorder, product: Product): boolean {
  const isTiled = recorder.variant === 'team' && hasManyTiles(product);
  return isTiled || partsOfWeight(recorder, product.weight).length > 1;
}

/** The maximum rank of a pair that is computed together with a matrix. */
export const mostRank = 64;
