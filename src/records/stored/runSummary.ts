// A summary of a run for lists. Summaries are stored separately, so a list of runs can be shown without reading the
// other records of the runs.
import * as v from 'valibot';
import { runIdSchema } from '../ids.ts';
import { evaluationSchema } from '../metrics.ts';
import { whole } from '../problem.ts';

export const summarySchema = v.object({
  id: runIdSchema,
  /**
   * A counter that increases each time a run begins or continues. The run with the highest number was therefore opened
   * last, even if the computer's clock was wrong.
   */
  order: whole,
  /** The newest evaluation; null if nothing was evaluated yet. */
  evaluation: v.nullable(evaluationSchema),
  /** The size in bytes of all records of the run except its checkpoints. */
  bytes: whole,
  /** The checkpoints of the run, in ascending order of iteration. */
  checkpoints: v.array(v.object({ iteration: whole, bytes: whole })),
  /**
   * The imported model that the run's checkpoints refer to by name. Without this model, the agents cannot be used.
   * Absent if the checkpoints contain all weights.
   */
  base: v.exactOptional(v.object({ name: v.string(), label: v.string() })),
});
export type RunSummary = v.InferOutput<typeof summarySchema>;
