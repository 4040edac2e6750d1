// What dialogues are compared by where pairs are made of them: what they earned, or what the verifier thinks of the
// answers they ended on, as it would be where nobody knows what is right.
import { mean } from '../../base/stats.ts';
import type { ComparedBy } from '../../records/preference.ts';
import { setsOf, type Trajectory } from '../../records/trajectory.ts';

export interface Compared {
  /** Of each dialogue; 0 where it has none. */
  worth: number[];
  /** Problem of each dialogue; one without a worth is alone, and in no pair. */
  groups: string[];
}

/** By the verifier, the worth is the mean score of the last answers that were given at once; cut dialogues may have none. */
export function comparedBy(trajectories: readonly Trajectory[], by: ComparedBy): Compared {
  const worth = trajectories.map((trajectory) => (by === 'verifier' ? believed(trajectory) : trajectory.reward));
  return {
    worth: worth.map((x) => (Number.isNaN(x) ? 0 : x)),
    groups: trajectories.map(({ group }, i) => (Number.isNaN(worth[i]) ? `no answer ${i}` : String(group))),
  };
}

function believed({ turns }: Trajectory): number {
  const last = setsOf(turns).findLast((set) => set.some(({ belief }) => belief !== undefined));
  return last ? mean(last.flatMap(({ belief }) => belief ?? [])) : Number.NaN;
}
