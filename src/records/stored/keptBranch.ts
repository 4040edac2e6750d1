// A changed dialogue, stored together with its original and with the run whose agents were tried.
import * as v from 'valibot';
import { triedSeatSchema } from '../intervention.ts';
import { runIdSchema } from '../ids.ts';
import { whole } from '../problem.ts';
import { trajectorySchema } from '../trajectory.ts';

const sideSchema = v.object({
  seats: v.array(triedSeatSchema),
  /** Indices of turns that the other agents did not hear. */
  hidden: v.array(whole),
  trajectory: trajectorySchema,
});
export type KeptSide = v.InferOutput<typeof sideSchema>;

export const keptBranchSchema = v.object({
  runId: runIdSchema,
  /** Numbers of a run increase; a number is never reused while a higher one is stored. */
  number: whole,
  name: v.string(),
  /** The changes in the right column, in words and in order. */
  changes: v.array(v.string()),
  /** As it was. */
  left: sideSchema,
  /** With the changes. */
  right: sideSchema,
});
export type KeptBranch = v.InferOutput<typeof keptBranchSchema>;
