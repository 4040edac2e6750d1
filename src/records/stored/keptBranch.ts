// A changed dialogue stored next to its original, with the run whose agents were tried.
import * as v from 'valibot';
import { triedSeatSchema } from '../intervention.ts';
import { runIdSchema } from '../ids.ts';
import { whole } from '../problem.ts';
import { trajectorySchema } from '../trajectory.ts';

const sideSchema = v.object({
  seats: v.array(triedSeatSchema),
  /** Turns that the others did not hear. */
  hidden: v.array(whole),
  trajectory: trajectorySchema,
});
export type KeptSide = v.InferOutput<typeof sideSchema>;

export const keptBranchSchema = v.object({
  runId: runIdSchema,
  /** Counts up within its run, and is never reused while a later one is stored. */
  number: whole,
  name: v.string(),
  /** The changes on the right side, in words and in order. */
  changes: v.array(v.string()),
  /** As it was. */
  left: sideSchema,
  /** With the changes. */
  right: sideSchema,
});
export type KeptBranch = v.InferOutput<typeof keptBranchSchema>;
