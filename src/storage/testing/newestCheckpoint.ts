// The checkpoint that a run continues from, for tests that look at its weights.
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import { resumePoint } from '../reading.ts';

/** Null when the run has none. Throws StorageError if none is intact. */
export const newestCheckpoint = async (id: RunId): Promise<Checkpoint | null> =>
  (await resumePoint(id))?.checkpoint ?? null;
