// What the recorded steps of a network will hold on a device, foretold from those that a trial recorded. A recording
// serves one shape of rows and keeps its buffers; rows of every length between the shortest and the longest will come.
import { mostBytes, mostEntries, type Recording } from '../../engine/replay.ts';
import type { Bucket } from '../rows/microbatches.ts';

/** Bytes of all recordings of one network, those that there are included. */
export function recordedBytes(recordings: readonly Recording[], bucket: Pick<Bucket, 'columns'>): number {
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

const sum = (recordings: readonly Recording[]) => recordings.reduce((total, { bytes }) => total + bytes, 0);
