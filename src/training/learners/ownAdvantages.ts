// Computes advantages with a formula written by a visitor instead of the learner's own formula. The visitor's formula
// gets the same inputs, and its result is used unchanged.
import { placesByKey } from '../../base/groups.ts';
import type { OwnFormula } from '../../exercises/ownFormula.ts';
import { isDead, type LoneMember } from '../maths/advantage.ts';

/**
 * If all rewards of a group are equal, advantages of at most this size count as rounding errors and are replaced by 0.
 * The learners’ own formulas do the same.
 */
const rounding = 1e-9;

/**
 * Computes the same as `groupAdvantage`, but with the visitor's formula, which is called once for each group with
 * several members. Lone members are treated as in `groupAdvantage`. `rewards` is [N], with one key for each reward.
 */
export function ownGroupAdvantage(
  formula: OwnFormula,
  rewards: ArrayLike<number>,
  { keys, lone }: { keys: readonly string[]; lone: LoneMember },
): Float64Array {
  const out = new Float64Array(rewards.length);
  for (const members of placesByKey(keys).values()) {
    const own = members.map((at) => rewards[at] as number);
    const found = own.length > 1 ? formula.list(own) : lone === 'reward' ? own : [0];
    const isRounded = own.length > 1 && isDead(own) && found.every((advantage) => Math.abs(advantage) < rounding);
    if (!isRounded) members.forEach((at, i) => (out[at] = found[i] as number));
  }
  return out;
}
