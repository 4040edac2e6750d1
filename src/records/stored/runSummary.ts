// A summary of a run for lists. It is a small record next to the run, so a list can be shown without reading the run's
// other records.
import * as v from 'valibot';
import { runIdSchema } from '../ids.ts';
import { evaluationSchema } from '../metrics.ts';
import { whole } from '../problem.ts';

export const summarySchema = v.object({
  id: runIdSchema,
  /**
   * A number that increases with each run that begins or continues. So the run with the highest number was written
   * last, even if the clock was wrong.
   */
  order: whole,
  /** The newest evaluation; null if there is none yet. */
  evaluation: v.nullable(evaluationSchema),
  /** Bytes of all records of the run except its checkpoints. */
  bytes: whole,
  /** The checkpoints of the run, in ascending order of iteration. */
  checkpoints: v.array(v.object({ iteration: whole, bytes: whole })),
  /**
   * The model to which the run's checkpoints refer only by name. Without this model, the agents cannot be used. Absent
   * if the checkpoints contain all weights.
   */
  base: v.exactOptional(v.object({ name: v.string(), label: v.string() })),
});
export type RunSummary = v.InferOutput<typeof summarySchema>;
