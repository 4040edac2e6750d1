// Branches of a tree of dialogues (AT-GRPO 2510.11062). Each turn samples several candidates. The dialogue continues
// from one of them; each of the others is a separate trajectory that ends there. A branch includes the turns that it
// shares with its trunk, but they are context and not its own actions.
import type { Trajectory, Turn } from './trajectory.ts';

/** The turns that were sampled for this trajectory: all turns of a dialogue, or the candidate of a branch. */
export function ownTurns({ turns, branch }: Pick<Trajectory, 'turns' | 'branch'>): Turn[] {
  return turns.slice(branch?.from ?? 0);
}

/** The dialogues that were run to their end, as opposed to candidates that were not continued. */
export function trunksOf<T extends Pick<Trajectory, 'branch'>>(trajectories: readonly T[]): T[] {
  return trajectories.filter(({ branch }) => branch === undefined);
}
