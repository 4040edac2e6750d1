// The outcomes of all problems of an iteration, if there was only one dialogue about each problem. The page shows these
// outcomes in place of the rollouts of a group. The outcomes are stored as columns, because an iteration may have
// hundreds of problems.
import * as v from 'valibot';
import { trunksOf } from './branch.ts';
import { whole } from './problem.ts';
import { anyNumber, finishCodeSchema, type Trajectory } from './trajectory.ts';

/** The problems with the best outcomes come first; all columns have the same length as `group`. */
export const problemEndsSchema = v.object({
  group: v.array(whole),
  reward: v.array(anyNumber),
  isRight: v.array(v.boolean()),
  finishCode: v.array(finishCodeSchema),
  /**
   * For each problem, whether all advantages of its dialogue are 0, so that the dialogue has no effect on learning;
   * absent if the advantages are unknown.
   */
  isStill: v.exactOptional(v.array(v.boolean())),
});
export type ProblemEnds = v.InferOutput<typeof problemEndsSchema>;

/**
 * The outcomes of an iteration; undefined if there are several dialogues or branches about the same problem, or if
 * there is only one problem.
 */
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
