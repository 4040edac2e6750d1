// The checkpoint from which a run continues, for tests that compare its weights.
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import { resumePoint } from '../reading.ts';

/** Returns null if the run has no checkpoint. Throws StorageError if all of its checkpoints are damaged. */
export const newestCheckpoint = async (id: RunId): Promise<Checkpoint | null> =>
  (await resumePoint(id))?.checkpoint ?? null;
