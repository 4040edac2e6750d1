// A run's summary for lists: a small record beside the run, so that no list reads the run's other records.
import * as v from 'valibot';
import { runIdSchema } from '../ids.ts';
import { evaluationSchema } from '../metrics.ts';
import { whole } from '../problem.ts';

export const summarySchema = v.object({
  id: runIdSchema,
  /**
   * Grows with each run that begins or continues: the run with the highest was written last, whatever the clock said.
   */
  order: whole,
  /** The newest; null before the first. */
  evaluation: v.nullable(evaluationSchema),
  /** Bytes of everything but the checkpoints. */
  bytes: whole,
  /** By rising iteration. */
  checkpoints: v.array(v.object({ iteration: whole, bytes: whole })),
  /**
   * The model that its checkpoints only name: without it its agents cannot be used. Absent: checkpoints carry all
   * weights.
   */
  base: v.exactOptional(v.object({ name: v.string(), label: v.string() })),
});
export type RunSummary = v.InferOutput<typeof summarySchema>;
