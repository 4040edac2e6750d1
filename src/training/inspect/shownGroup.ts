// Chooses the group of an iteration that the page shows. This is the first group that is not dead, or the first of all
// groups if all are dead.
import { trunksOf } from '../../records/branch.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { stage } from '../stages/stage.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    shownGroup: number;
  }
}

function shownGroup(trajectories: readonly Trajectory[]): number {
  const groups = new Map<number, Set<number>>();
  for (const { group, reward } of trajectories) groups.set(group, (groups.get(group) ?? new Set()).add(reward));
  for (const [group, rewards] of groups) if (rewards.size > 1) return group;
  return trajectories[0]?.group ?? 0;
}

export const shownGroupStage = stage({
  name: 'shown group',
  phase: 'score',
  reads: ['paid'],
  run: ({ paid }) => ({ shownGroup: shownGroup(trunksOf(paid.trajectories)) }),
});
