// Branches of a tree of dialogues (AT-GRPO 2510.11062). At each turn, several candidates are sampled. The dialogue (the
// trunk) continues from one of these candidates. Each other candidate is stored as a separate trajectory (a branch),
// which ends with this candidate. A branch also contains the turns before its candidate, but only as context, because
// these turns were sampled for the trunk.
import type { Trajectory, Turn } from './trajectory.ts';

/**
 * The turns that were sampled for this trajectory: all turns of a trunk, but only the last turn, the candidate, of a
 * branch.
 */
export function ownTurns({ turns, branch }: Pick<Trajectory, 'turns' | 'branch'>): Turn[] {
  return turns.slice(branch?.from ?? 0);
}

/** The trunks, which are the dialogues that were run to their end. */
export function trunksOf<T extends Pick<Trajectory, 'branch'>>(trajectories: readonly T[]): T[] {
  return trajectories.filter(({ branch }) => branch === undefined);
}
