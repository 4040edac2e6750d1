// A summary of a run for lists. It is a small record of its own, so a list of runs can be shown without reading their
// other records.
import * as v from 'valibot';
import { runIdSchema } from '../ids.ts';
import { evaluationSchema } from '../metrics.ts';
import { whole } from '../problem.ts';

export const summarySchema = v.object({
  id: runIdSchema,
  /**
   * A counter that increases each time a run begins or continues. So the run with the highest number was opened last,
   * even if the computer's clock was wrong.
   */
  order: whole,
  /** The newest evaluation; null if there is none yet. */
  evaluation: v.nullable(evaluationSchema),
  /** The size in bytes of all records of the run except its checkpoints. */
  bytes: whole,
  /** The checkpoints of the run, in ascending order of iteration. */
  checkpoints: v.array(v.object({ iteration: whole, bytes: whole })),
  /**
   * The model to which the run's checkpoints refer only by name. The agents can be used only if this model is loaded.
   * Absent if the checkpoints contain all weights.
   */
  base: v.exactOptional(v.object({ name: v.string(), label: v.string() })),
});
export type RunSummary = v.InferOutput<typeof summarySchema>;
