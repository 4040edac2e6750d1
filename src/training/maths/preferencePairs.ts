// Pairs for DPO out of groups of rollouts that were collected anyway: in each group the best is paired with the worst,
// the next best with the next worst, and so on inwards, as long as their rewards differ.
import { ConfigError, ShapeError } from '../../base/errors.ts';

/** Indices into the rewards the pairs were mined from. */
export interface PreferencePair {
  winner: number;
  loser: number;
  /** Reward of the winner minus that of the loser, > 0. */
  gap: number;
}

/**
 * Pairs in order of group, then of gap, largest first; a rollout is in one pair at most. Members with equal rewards keep
 * their order, so the result depends on rewards and keys alone. A group of equal rewards, or of one, gives none.
 * rewards [N], one key each. `minGap` > 0 in units of the reward; `perGroup` pairs at most.
 * Throws ShapeError when the lengths differ, ConfigError for a gap that is not positive.
 */
export function minePairs(
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  { minGap, perGroup = Infinity }: { minGap: number; perGroup?: number },
): PreferencePair[] {
  if (rewards.length !== groupKeys.length)
    throw new ShapeError(`minePairs: expected one key for each of ${rewards.length} rewards, got ${groupKeys.length}.`);
  if (!(minGap > 0))
    throw new ConfigError(`minePairs: minGap must be positive, got ${minGap}; a tie prefers neither. Use 1e-6.`);
  const groups = new Map<string, number[]>();
  groupKeys.forEach((key, at) => groups.set(key, [...(groups.get(key) ?? []), at]));
  return [...groups.values()].flatMap((members) => {
    const reward = (at: number) => rewards[at] as number;
    const best = [...members].sort((a, b) => reward(b) - reward(a));
    const pairs: PreferencePair[] = [];
    for (let rank = 0; rank < Math.floor(best.length / 2) && pairs.length < perGroup; rank++) {
      const [winner, loser] = [best[rank] as number, best[best.length - 1 - rank] as number];
      const gap = reward(winner) - reward(loser);
      if (gap < minGap) break;
      pairs.push({ winner, loser, gap });
    }
    return pairs;
  });
}
