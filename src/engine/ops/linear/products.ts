// Products with a matrix that does not learn on WebGPU: which text suits how many rows, and the matrix in parts where a device
// binds less of it than it has.
import type * as tf from '@tensorflow/tfjs-core';
import { as } from '../../webgpu/program/kernel.ts';
import type { Slot } from '../../webgpu/program/program.ts';
import type { Recorder } from '../../webgpu/program/recorder.ts';
import { frozenRowBytes } from '../frozen/frozenMatrix.ts';
import type { WeightFormat } from '../frozen/wgsl.ts';
import { type Direction, type ProductText, productText, splitGroups, tileSize, type Way } from './productWgsl.ts';

/** A matrix [lines, columns] on the device. */
export interface Weight {
  info: tf.TensorInfo;
  format: WeightFormat;
  lines: number;
  columns: number;
}

/** A [rank, columns] and B [lines, rank] beside it, and the weight of their product. */
export interface Pair {
  a: tf.TensorInfo;
  b: tf.TensorInfo;
  rank: number;
  scale: number;
}

export interface Product {
  direction: Direction;
  /** x [N, columns], or dy [N, lines] on the way back. */
  from: tf.TensorInfo;
  weight: Weight;
  pair?: Pair;
  /** Not chosen by the sizes. */
  way?: Way;
}

export interface Multiplied {
  /** y [N, lines], or dx [N, columns]. */
  to: tf.TensorInfo;
  /** x·Aᵀ or dy·B, not scaled: [N, rank], each row filled up to whole quads. */
  narrow?: tf.TensorInfo;
}

/** So many lines of a matrix, and where the device binds them. */
export interface Part {
  slot: Slot;
  first: number;
  lines: number;
  /** Where the first line begins in what is bound: quads of f32, else halves of words. */
  start: number;
}

/** Tiles from which a graphics processor has enough to do. */
const manyTiles = 256;
/** Bytes that the beginning of a binding is a multiple of, on every device. */
const bindingStep = 256;
/** A narrow product of more quads is made by a dispatch of its own where tiles are large. */
const mostQuadsInTile = 4;

export const lineBytes = ({ format, columns }: Pick<Weight, 'format' | 'columns'>): number =>
  format === 'f32' ? 4 * columns : frozenRowBytes({ format, columns });

/** A matrix in parts that the device binds, each of a multiple of four lines but the last. */
export function partsOfWeight({ backend: { device } }: Recorder, weight: Weight): Part[] {
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

/** Runs one product; a pair wants a matrix that is bound whole, and lines and columns that are multiples of four. */
export function multiply(recorder: Recorder, product: Product): Multiplied {
  const { direction, from, weight, pair } = product;
  const { columns, lines: allLines } = weight;
  const rows = from.shape[0] as number;
  const isForward = direction === 'forward';
  const across = Math.ceil((isForward ? allLines : columns) / 4);
  const way = product.way ?? wayOf(recorder, rows, across);
  const quads = pair ? Math.ceil(pair.rank / 4) : 0;
  const isGiven = way === 'tiled' && quads > mostQuadsInTile;
  const narrow = pair && (isGiven ? narrowOf(recorder, product) : recorder.allocate([rows, 4 * quads]));
  const to = recorder.allocate([rows, isForward ? allLines : columns]);
  for (const { slot, first, lines, start } of partsOfWeight(recorder, weight)) {
    const text: ProductText = {
      ...{ direction, way, format: weight.format, narrow: quads, isGiven },
      rows: way === 'tiled' || rows > 4 ? 8 : rows > 2 ? 4 : (rows as 1 | 2),
      quads: way === 'direct' && across % 2 === 1 ? 1 : 2,
      isQuadB: pair !== undefined && pair.rank % 4 === 0,
      isOdd: allLines % 4 !== 0,
      isAdded: !isForward && first > 0,
    };
    const perStrip = { direct: 64 * text.quads, split: splitGroups, tiled: tileSize / 4 }[way];
    const strips = Math.ceil((isForward ? Math.ceil(lines / 4) : across) / perStrip);
    const tall = way === 'tiled' ? tileSize : text.rows;
    const isNumbers = isForward && (way === 'tiled' || text.isOdd);
    const kept = narrow && { narrow: as('vec4<f32>', narrow) };
    recorder.run({
      program: { key: `Product ${Object.values(text).join(' ')}`, variant: 'team', text: () => productText(text) },
      writes: { to: as(isNumbers ? 'f32' : 'vec4<f32>', to), ...(!isGiven && kept) },
      reads: {
        given: as(!isForward && text.isOdd ? 'f32' : 'vec4<f32>', from),
        w: slot,
        ...(pair && { a: as('vec4<f32>', pair.a), b: as(text.isQuadB ? 'vec4<f32>' : 'f32', pair.b) }),
        ...(isGiven && kept),
      },
      sizes: { rows, columns, lines, allLines, firstLine: first, start, ...(pair && { rank: pair.rank }) },
      ...(pair && { constants: { scale: pair.scale } }),
      items: Math.ceil(rows / tall) * strips,
    });
  }
  return narrow ? { to, narrow } : { to };
}

/** The narrow product by itself: a product with A, or with B on the way back. The rank is a multiple of four. */
function narrowOf(recorder: Recorder, { direction, from, weight, pair }: Product): tf.TensorInfo {
  const { a, b, rank } = pair as Pair;
  const own: Weight =
    direction === 'forward'
      ? { info: a, format: 'f32', lines: rank, columns: weight.columns }
      : { info: b, format: 'f32', lines: weight.lines, columns: rank };
  return multiply(recorder, { direction, from, weight: own }).to;
}

function wayOf({ variant }: Recorder, rows: number, across: number): Way {
  if (variant === 'solo') return 'direct';
  return Math.ceil(rows / tileSize) * Math.ceil((4 * across) / tileSize) < manyTiles ? 'split' : 'tiled';
}

/** Ranks that a product takes beside a matrix. */
export const takesRank = (rank: number): boolean => rank <= 4 * mostQuadsInTile || (rank % 4 === 0 && rank <= 64);
