// Writes the dialogues of a run as one file, in one of several formats. There is one chunk for each iteration, and a
// last chunk completes the file.
import type { TrajectoryFile } from '../../records/trajectory.ts';
import { writeJsonl, type TrajectoryWriter } from '../jsonl.ts';
import type { InspectedRun } from './inspectLog.ts';

const encoder = new TextEncoder();
const nothing = new Uint8Array();

/** Starts a file. The code that writes Parquet and Inspect logs is loaded only when it is needed. */
export async function writtenTrajectories(as: TrajectoryFile, run: InspectedRun): Promise<TrajectoryWriter> {
  if (as === 'parquet') return (await import('./parquet.ts')).parquetFile();
  if (as === 'inspect') return (await import('./inspectLog.ts')).inspectLog(run);
  return { add: (iteration, trajectories) => encoder.encode(writeJsonl(iteration, trajectories)), end: () => nothing };
}
