// The dialogues of a run as one file. They are written one iteration at a time, as consecutive chunks, the last of
// which ends the file.
import type { TrajectoryFile } from '../../records/trajectory.ts';
import { writeJsonl, type TrajectoryWriter } from '../jsonl.ts';
import type { InspectedRun } from './inspectLog.ts';

const encoder = new TextEncoder();
const nothing = new Uint8Array();

/** Starts a file. The writers of rare formats are loaded on demand. */
export async function writtenTrajectories(as: TrajectoryFile, run: InspectedRun): Promise<TrajectoryWriter> {
  if (as === 'parquet') return (await import('./parquet.ts')).parquetFile();
  if (as === 'inspect') return (await import('./inspectLog.ts')).inspectLog(run);
  return { add: (iteration, trajectories) => encoder.encode(writeJsonl(iteration, trajectories)), end: () => nothing };
}
