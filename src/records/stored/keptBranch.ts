// A dialogue that the visitor changed and stored, together with the original dialogue and the run whose agents took
// part.
import * as v from 'valibot';
import { triedSeatSchema } from '../intervention.ts';
import { runIdSchema } from '../ids.ts';
import { whole } from '../problem.ts';
import { trajectorySchema } from '../trajectory.ts';

const sideSchema = v.object({
  seats: v.array(triedSeatSchema),
  /** The indices of the turns that were hidden from the other agents. */
  hidden: v.array(whole),
  trajectory: trajectorySchema,
});
export type KeptSide = v.InferOutput<typeof sideSchema>;

export const keptBranchSchema = v.object({
  runId: runIdSchema,
  /** The number of the dialogue within its run. A new dialogue gets a higher number than all stored ones. */
  number: whole,
  name: v.string(),
  /** The changes that were made to the original dialogue, in words and in their order. */
  changes: v.array(v.string()),
  /** The original dialogue. */
  left: sideSchema,
  /** The changed dialogue. */
  right: sideSchema,
});
export type KeptBranch = v.InferOutput<typeof keptBranchSchema>;
