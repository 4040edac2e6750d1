// The outcomes of all problems of an iteration that were tried once each: the counterpart of a group's rollouts. Stored
// as columns, because an iteration may have hundreds.
import * as v from 'valibot';
import { trunksOf } from './branch.ts';
import { whole } from './problem.ts';
import { anyNumber, finishCodeSchema, type Trajectory } from './trajectory.ts';

/** Best first; all columns have the same length as `group`. */
export const problemEndsSchema = v.object({
  group: v.array(whole),
  reward: v.array(anyNumber),
  isRight: v.array(v.boolean()),
  finishCode: v.array(finishCodeSchema),
  /** All its advantages are 0, so it has no gradient; absent if advantages are unknown. */
  isStill: v.exactOptional(v.array(v.boolean())),
});
export type ProblemEnds = v.InferOutput<typeof problemEndsSchema>;

/** Undefined if a problem was tried more than once, or at single turns, and if there is only one problem. */
export function problemEnds(trajectories: readonly Trajectory[]): ProblemEnds | undefined {
  const groups = new Set(trajectories.map(({ group }) => group));
  if (groups.size < 2 || groups.size < trajectories.length) return undefined;
  const best = trunksOf(trajectories).sort(
    (a, b) => b.reward - a.reward || Number(b.isRight) - Number(a.isRight) || a.finishCode - b.finishCode,
  );
  return {
    group: best.map(({ group }) => group),
    reward: best.map(({ reward }) => reward),
    isRight: best.map(({ isRight }) => isRight),
    finishCode: best.map(({ finishCode }) => finishCode),
  };
}
