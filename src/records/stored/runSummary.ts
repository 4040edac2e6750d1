// A run's summary for lists: a small record next to the run, so that no list reads the run's other records.
import * as v from 'valibot';
import { runIdSchema } from '../ids.ts';
import { evaluationSchema } from '../metrics.ts';
import { whole } from '../problem.ts';

export const summarySchema = v.object({
  id: runIdSchema,
  /**
   * Grows with each run that begins or continues: the run with the highest number was written last, whatever the clock
   * showed.
   */
  order: whole,
  /** The newest evaluation; null before the first. */
  evaluation: v.nullable(evaluationSchema),
  /** Bytes of everything but the checkpoints. */
  bytes: whole,
  /** In ascending order of iteration. */
  checkpoints: v.array(v.object({ iteration: whole, bytes: whole })),
  /**
   * The model that its checkpoints only name: its agents cannot be used without it. Absent: checkpoints contain all
   * weights.
   */
  base: v.exactOptional(v.object({ name: v.string(), label: v.string() })),
});
export type RunSummary = v.InferOutput<typeof summarySchema>;
