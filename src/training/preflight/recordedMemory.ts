// What the recorded steps of a run will hold on a device, foretold. A recording serves one shape of microbatch and
// keeps its buffers, so what counts is how many shapes there will be: microbatches are drawn from the rows of a few
// dialogues as an update draws them, padded to buckets, and those shapes that come again are counted.
import { Draws, streams } from '../../base/random.ts';
import { mostBytes } from '../../engine/replay.ts';
import type { Bucket } from '../rows/buckets.ts';
import type { RowBatch } from '../rows/rows.ts';

/** Updates that are drawn at most: by then nearly all shapes have come twice. */
const mostDrawn = 200;
/** `mostEntries` of a Replays: the oldest shapes go where there are more. */
const mostShapes = 24;

export interface Shape {
  rows: number;
  columns: number;
}

/** A shape as it is recorded. */
export function bucketed({ rows, columns }: Shape, bucket: Bucket): Shape {
  const up = (size: number, to: number) => Math.ceil(size / to) * to;
  return { rows: up(rows, bucket.rows), columns: up(columns, bucket.columns) };
}

export interface Drawing {
  seed: number;
  bucket: Bucket;
  updates: number;
  /** Trajectories of a minibatch, or other units. */
  trajectories: number;
  /** Rows of a microbatch at most. */
  fittingRows: number;
}

/** Shapes of microbatches that come at least twice in so many updates on rows such as these; the most frequent first. */
export const recordedShapes = (batch: RowBatch, drawing: Drawing): Shape[] => drawnShapes(lengthsOf(batch), drawing);

/** The same of units that are never parted: `known` [unit][row] lengths of rows. */
export function drawnShapes(
  known: readonly (readonly number[])[],
  { seed, bucket, updates, trajectories, fittingRows }: Drawing,
): Shape[] {
  const draws = new Draws(seed, streams.control, 0);
  const found = new Map<string, { shape: Shape; times: number }>();
  const take = (lengths: readonly number[]) => {
    const shape = bucketed({ rows: lengths.length, columns: Math.max(1, ...lengths) }, bucket);
    const key = `${shape.rows} ${shape.columns}`;
    const times = (found.get(key)?.times ?? 0) + 1;
    found.set(key, { shape, times });
  };
  for (let update = 0; update < Math.min(mostDrawn, Math.max(2, updates)); update++) {
    let lengths: number[] = [];
    for (let i = 0; i < Math.max(1, Math.round(trajectories)); i++) {
      const next = draws.pick(known);
      if (lengths.length > 0 && lengths.length + next.length > fittingRows) {
        take(lengths);
        lengths = [];
      }
      lengths.push(...next);
    }
    take(lengths);
  }
  const again = [...found.values()].filter(({ times }) => times > 1);
  return again
    .sort((a, b) => b.times - a.times)
    .slice(0, mostShapes)
    .map(({ shape }) => shape);
}

/** Lengths of the rows of each trajectory, up to the last trained token. */
function lengthsOf({ rows, length, actionMask, trajectoryIds }: RowBatch): number[][] {
  const lengths = new Map<number, number[]>();
  for (let b = 0; b < rows; b++) {
    const used = actionMask.subarray(b * length, (b + 1) * length).lastIndexOf(1) + 1;
    const id = trajectoryIds[b] as number;
    lengths.set(id, [...(lengths.get(id) ?? []), Math.max(1, used)]);
  }
  return [...lengths.values()];
}

/**
 * Bytes of all recordings of one network.
 * @param tried shapes that were recorded in a trial, and what they hold together
 * @param fixedBytes what one recording holds whatever its shape: the gradients
 * @param copies recordings of each shape: sums of microbatches begin with one kind of step and go on with another
 */
export function recordedBytes(
  shapes: readonly Shape[],
  { tried, bytes, fixedBytes, copies }: { tried: readonly Shape[]; bytes: number; fixedBytes: number; copies: number },
): number {
  const tokensOf = (some: readonly Shape[]) => some.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const different = [...new Map(tried.map((shape) => [`${shape.rows} ${shape.columns}`, shape])).values()];
  const fixed = Math.min(fixedBytes, bytes / Math.max(1, different.length));
  const perToken = (bytes - fixed * different.length) / Math.max(1, tokensOf(different));
  return Math.min(mostBytes, copies * (fixed * shapes.length + perToken * tokensOf(shapes)));
}
