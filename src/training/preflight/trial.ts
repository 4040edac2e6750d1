// Predicts the cost of a large piece of work from small trials. The time and the memory of a pass over rows of equal
// length grow linearly with the number of rows, apart from a constant. Therefore two trials with few rows are enough to
// predict the cost of many rows.
import * as tf from '@tensorflow/tfjs-core';
import { counters, restartPeak } from '../../engine/counters.ts';
import { mostBytes, mostEntries, type RecordingSize } from '../../engine/replay.ts';
import type { Bucket } from '../rows/microbatches.ts';

export interface Cost {
  ms: number;
  /** The memory that remains in use after the work, for caches and for the buffers of recorded steps. */
  keptBytes: number;
  /** The peak memory during the work, in addition to the memory that remains in use. */
  transientBytes: number;
}

/** Work that takes less time than this is measured again, because short measurements are inaccurate. */
export const briefMs = 40;

/** On the CPU, work that takes longer than this is not repeated, because a visitor waits for the result. */
export const longMs = 5_000;

/** Whether the backend is WebGPU, where steps are recorded and keep their buffers. */
export const isOnDevice = () => tf.getBackend() === 'webgpu';

/**
 * Measures the cost of `work`. The first run compiles the programs and, if steps are recorded, the second run records
 * the steps, so these two runs are not timed. Both runs are included in the peak memory, because they need the most
 * memory and occur for every new shape of rows. The work is run two to four times.
 */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const coldBytes = counters().usedBytes;
  restartPeak();
  await work();
  if (isOnDevice()) await work();
  else restartPeak();
  let ms = await timeOf(work);
  const { usedBytes, peakBytes } = counters();
  if (ms < briefMs) ms = Math.min(ms, await timeOf(work));
  return { ms, keptBytes: Math.max(0, usedBytes - coldBytes), transientBytes: peakBytes - usedBytes };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** A measured cost, and the number of rows of the trial. */
interface Trial extends Cost {
  rows: number;
}

/**
 * The cost as a function of the number of rows, from two trials with the same row length. If both trials have the same
 * number of rows, only the second one is used.
 */
export function costLine(small: Trial, large: Trial): (rows: number) => Cost {
  const line = (name: 'ms' | 'transientBytes') => {
    const [low, high] = [small[name], large[name]];
    const measured = large.rows > small.rows ? (high - low) / (large.rows - small.rows) : high / large.rows;
    // In reality, a cost is never negative and never decreases with more rows. If a measurement shows a negative or a
    // decreasing cost, the measurement is inaccurate and is corrected.
    const slope = Math.min(Math.max(0, measured), high / large.rows);
    return (rows: number) => high + slope * (rows - large.rows);
  };
  const [ms, transientBytes] = [line('ms'), line('transientBytes')];
  return (rows) => ({
    ms: ms(rows),
    transientBytes: transientBytes(rows),
    keptBytes: (large.keptBytes * rows) / large.rows,
  });
}

/**
 * The cost of `work` as a function of the number of rows, from measurements with a small and a large input. If the
 * inputs are equal, `work` is measured only once.
 */
export async function tryTwice<T>(
  [small, large]: readonly [T, T],
  rows: (input: T) => number,
  work: (input: T) => Promise<unknown>,
): Promise<(rows: number) => Cost> {
  const first = { ...(await costOf(() => work(small))), rows: rows(small) };
  if (small === large) return costLine(first, first);
  return costLine(first, { ...(await costOf(() => work(large))), rows: rows(large) });
}

/**
 * Predicts the bytes that all recorded steps of one network will hold on a device, from the recordings of a trial. Each
 * recording is for one shape of rows and keeps its buffers. It is assumed that rows of every length between the
 * shortest and the longest will occur.
 */
export function recordedBytes(recordings: readonly RecordingSize[], bucket: Pick<Bucket, 'columns'>): number {
  const shaped = recordings.filter(({ shape }) => shape.length === 2);
  const fixed = sum(recordings.filter(({ shape }) => shape.length !== 2));
  const ofRows = [...new Set(shaped.map(({ shape: [rows] }) => rows))].map((rows) => {
    const alike = shaped.filter(({ shape }) => shape[0] === rows);
    const columns = new Set(alike.map(({ shape }) => shape[1] as number));
    const will = Math.min(mostEntries, 1 + (Math.max(...columns) - Math.min(...columns)) / bucket.columns);
    return (sum(alike) * will) / columns.size;
  });
  return Math.min(mostBytes, fixed + ofRows.reduce((total, bytes) => total + bytes, 0));
}

const sum = (recordings: readonly RecordingSize[]) => recordings.reduce((total, { bytes }) => total + bytes, 0);
